/* C = A B for row-major matrices: the smallest program that multiplies. */
#include <layoutgemm.h>
#include <stdio.h>

int main(void)
{
    const float a[2 * 3] = { 1, 2, 3, 4, 5, 6 }, b[3 * 2] = { 7, 8, 9, 10, 11, 12 };
    float c[2 * 2] = { 0 };
    lay_desc *rows = NULL, *columns = NULL, *result = NULL;
    if (lay_desc_parse("[2][3]", &rows) || lay_desc_parse("[3][2]", &columns) || lay_desc_parse("[2][2]", &result) ||
        lay_sgemm(rows, columns, result, 1, a, b, 0, c, NULL))
        fprintf(stderr, "%s\n", lay_last_error());
    printf("%g %g\n%g %g\n", c[0], c[1], c[2], c[3]); /* 58 64, 139 154 */
    lay_desc_destroy(rows);
    lay_desc_destroy(columns);
    lay_desc_destroy(result);
    return !(c[0] == 58 && c[1] == 64 && c[2] == 139 && c[3] == 154);
}
