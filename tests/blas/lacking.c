/* A next library that has nothing but a dgemm. */
void dgemm_(void);

__attribute__((visibility("default"))) void dgemm_(void)
{
}
