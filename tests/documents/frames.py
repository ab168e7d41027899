"""What stands around the fragments of C and C++ in the documents, so that they become programs that run: declarations
before, checks behind. The key is a line of the fragment."""

C_HEAD = """#define _POSIX_C_SOURCE 200809L
#include <layoutgemm.h>
#include <layoutgemm_team.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#define CHECK(claim) if (!(claim)) return fprintf(stderr, "%s: %s\\n", #claim, lay_last_error()), 1
"""

BLOCKED = ("""static float storage[1024 * 1024], result[100 * 1024];
for (int i = 0; i < 1024 * 1024; i++) storage[i] = (float)(i % 7 - 3);
""", """
for (int64_t i = 0; i < 100; i += 33) for (int64_t j = 0; j < 1024; j += 341) {
    double sum = 0;
    for (int64_t p = 0; p < 1024; p++)
        sum += storage[lay_desc_offset(blocked, 2, (int64_t[]){ 450 + i, p })] *
               storage[lay_desc_offset(blocked, 2, (int64_t[]){ j, p })];
    CHECK(result[i * 1024 + j] == (float)sum);
}
""")

BATCH = ("""static float a[1000 * 256], b[256], c[1000 * 256];
lay_desc *batch = NULL, *weights = NULL;
for (int i = 0; i < 1000 * 256; i++) a[i] = (float)(i % 5);
for (int i = 0; i < 256; i++) b[i] = i % 17 == 0 ? 2 : 0;
""", """
for (int i = 0; i < 1000 * 256; i++) CHECK(c[i] == 2 * a[i]);
""")

CONTRACTION = ("""static double a[2 * 3 * 4 * 5], b[5 * 6 * 3 * 7], c[2 * 6 * 4 * 7];
const double one = 1, zero = 0;
lay_desc *a_layout = NULL, *b_layout = NULL, *c_layout = NULL;
for (int i = 0; i < 120; i++) a[i] = i % 7;
for (int i = 0; i < 630; i++) b[i] = 1;
CHECK(!lay_desc_parse("[2][3][4][5]", &a_layout) && !lay_desc_parse("[5][6][3][7]", &b_layout) &&
      !lay_desc_parse("[2][6][4][7]", &c_layout));
""", """
double sum = 0;
for (int e = 0; e < 3; e++) for (int f = 0; f < 5; f++) sum += a[((1 * 3 + e) * 4 + 2) * 5 + f];
CHECK(c[((1 * 6 + 5) * 4 + 2) * 7 + 6] == sum);
""")

TUNING = ("""lay_desc *a = NULL, *b = NULL, *c = NULL;
lay_plan *plan = NULL;
CHECK(!lay_desc_parse("[64][64]", &a) && !lay_desc_parse("[64][64]", &b) && !lay_desc_parse("[64][64]", &c));
""", """
CHECK(plan && remove("layoutgemm.tuning") == 0);
lay_plan_destroy(plan);
""")

WORKSPACE = ("""static float a[300 * 300], b[300 * 300], c[300 * 300];
const float one = 1, zero = 0;
lay_desc *square = NULL;
lay_plan *plan = NULL;
for (int i = 0; i < 90000; i++) a[i] = b[i] = 1;
CHECK(!lay_desc_parse("[300][300]", &square) &&
      !lay_plan_create(LAY_F32, square, square, square, NULL, &plan));
""", """
CHECK(c[0] == 300 && c[89999] == 300);
free(workspace);
lay_plan_destroy(plan);
""")

STATUS = ("""static double a[64], b[64], c[64];
lay_desc *a_layout = NULL, *b_layout = NULL, *c_layout = NULL;
for (int i = 0; i < 64; i++) a[i] = b[i] = 1;
CHECK(!lay_desc_parse("[8][8]", &a_layout) && !lay_desc_parse("[8][8]", &b_layout) &&
      !lay_desc_parse("[8][8]", &c_layout));
""", """
CHECK(status == LAY_OK && c[63] == 8);
""")

LOG = ("", "")

# One place in this process stands in for MPI's ranks, so that MPI need not be there.
TEAM = ("""#define lay_team_mpi(ranks, team) lay_team_host(1, team)
static double a[64 * 64], b[64 * 64], c[64 * 64], rows[64 * 64], blocks[64 * 64];
const void *my_a = a, *my_b = b, *my_rows = rows;
void *my_c = c, *my_blocks = blocks;
const double one = 1, zero = 0;
lay_desc *a_layout = NULL, *b_layout = NULL, *c_layout = NULL, *by_rows = NULL, *block_cyclic = NULL;
lay_team *team = NULL;
for (int i = 0; i < 64 * 64; i++) a[i] = b[i] = 1, rows[i] = i;
CHECK(!lay_desc_parse("[64][64]", &a_layout) && !lay_desc_parse("[64][64]", &b_layout) &&
      !lay_desc_parse("[64][64]", &c_layout) && !lay_desc_parse("[64][64]", &by_rows) &&
      !lay_desc_parse("A=[2][2][32][32]; [[#A_0][#A_2]][[#A_1][#A_3]]", &block_cyclic));
""", """
CHECK(c[0] == 64 && c[4095] == 64 && blocks[1024] == 32);
lay_team_destroy(team);
""")

# Rooms of host memory stand in for two devices.
DEVICES = ("""#define lay_team_devices(count, devices, team) ((void)(devices), (lay_team_devices)(count, NULL, team))
const float one = 1, zero = 0;
lay_desc *by_rows = NULL;
lay_team *team = NULL;
CHECK(!lay_desc_parse("P=(2); A=[32][64]; [[#P_0][#A_0]][#A_1]", &by_rows));
""", """
for (int i = 0; i < 2 * 32 * 64; i++) ((float *)a[i / 2048])[i % 2048] = ((float *)b[i / 2048])[i % 2048] = 1;
CHECK(!lay_team_gemm(team, LAY_F32, by_rows, by_rows, by_rows, &one, (const void *const *)a, (const void *const *)b,
                     &zero, c, NULL) && ((float *)c[1])[2047] == 64);
for (int i = 0; i < 2; i++) { lay_free(a[i]); lay_free(b[i]); lay_free(c[i]); }
lay_team_destroy(team);
""")

# A room of host memory stands in for this rank's device, and it for all ranks.
RANK_DEVICES = ("""#define MPI_Comm_split_type(...) ((void)0)
#define MPI_Comm_rank(comm, rank) ((void)(*(rank) = (comm)))
#define cudaSetDevice(number) ((void)(number))
#define lay_team_mpi_devices(ranks, count, devices, team) ((void)(devices), lay_team_devices(count, NULL, team))
int here = 0, device = 7;
lay_team *team = NULL;
""", """
CHECK(device == 0 && lay_team_places(team) == 1);
lay_team_destroy(team);
""")

C_FRAMES = {
    "lay_desc_permute(blocked, NULL, &transposed);": BLOCKED,
    'lay_desc_parse("[1000][16][16]", &batch);': BATCH,
    'lay_contract(LAY_F64, "aecf,fbed->abcd", a_layout, b_layout, c_layout, &one, a, b, &zero, c, NULL);': CONTRACTION,
    "options.effort = LAY_EFFORT_MEASURE;   /* else LAY_EFFORT_ESTIMATE */": TUNING,
    "const lay_status status = lay_dgemm(a_layout, b_layout, c_layout, 1, a, b, 0, c, NULL);": STATUS,
    "lay_plan_info info = LAY_PLAN_INFO_INIT;": WORKSPACE,
    "lay_team_mpi(MPI_COMM_WORLD, &team);": TEAM,
    "const int devices[] = { 0, 1 };": DEVICES,
    "MPI_Comm_rank(here, &device); /* each rank of a machine takes another one */": RANK_DEVICES,
    "static void tell(void *context, const char *line) /* one at a time, in any thread; no newline */": LOG,
}

CXX_HEAD = """#include <layoutgemm.hpp>
#include <cstdio>
#include <vector>
"""

VIEWS = ("""std::vector<double> kept(1024 * 1024, 1), result(100 * 1024);
std::vector<double> more(64 * 64, 1), other(64 * 64, 1), third(64 * 64);
double *storage = kept.data(), *c = result.data();
const auto x = lay::row_major(more.data(), 64, 64), y = lay::row_major(other.data(), 64, 64);
const auto z = lay::row_major(third.data(), 64, 64);
""", "if (c[0] != 1024 || third[4095] != 64) return 1;\n")

ERRORS = ("""std::vector<double> more(64 * 64, 1);
const auto x = lay::row_major(more.data(), 64, 64), y = lay::row_major(more.data(), 32, 64);
const auto z = lay::row_major(more.data(), 64, 64);
struct { int status; } expected = { LAY_ERR_SHAPE };
const auto attempt = [&]() -> int {
""", "return 0; };\nif (attempt() != expected.status) return 1;\n")

CXX_FRAMES = {
    "const lay::plan<double> plan(x.layout(), y.layout().transpose(), z.layout()); // moves, is not copied": VIEWS,
    "lay::gemm(1, x, y, 0, z, lay::options(), &failed);": ERRORS,
}

FORTRAN_BEFORE = """program fragment
use, intrinsic :: iso_c_binding
"""
FORTRAN_DECLARED = """implicit none
integer(c_int) :: status
type(c_ptr) :: whole, rows, right, result
real(c_float), target :: a(4, 3), b(3, 2), c(2, 2), one, zero
a = 1; b = 2; one = 1; zero = 0
status = lay_desc_array(shape(b, c_int64_t), right)
status = lay_desc_array(shape(c, c_int64_t), result)
"""
FORTRAN_BEHIND = """if (status /= LAY_OK .or. any(c /= 6)) stop 1
end program fragment
"""
