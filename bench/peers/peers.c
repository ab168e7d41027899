/* Other people's BLAS libraries, loaded while we run. */
#include "peers.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "bench/base/complain.h"
#include "bench/device/cuda_part.h"
#include "loading.h"
#include "tblis.h"

enum { MAX_NAMES = 4 };

/* What `openblas` and its like stand for. */
static const loading known[] = {
    { "openblas",
      { "libopenblas.so.0", "libopenblas.so", "libscipy_openblas.so" },
      "Debian and Ubuntu have it as libopenblas0-pthread" },
    { "blis",
      { "libblis.so.4", "libblis.so.5", "libblis.so.3", "libblis.so" },
      "Debian and Ubuntu have it as libblis4" },
    { "mkl",
      { "libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so" },
      "Debian and Ubuntu have it as libmkl-rt, 'pip install mkl' brings it too" },
    { "tblis", { "libtblis.so.0", "libtblis.so" }, "'pip install pytblis' brings it, in the folder pytblis.libs" },
    { 0 },
};

/* dlsym gives a data pointer; POSIX lets it be called as what it is. */
#define FIND(library, type, name) ((type *)(uintptr_t)dlsym(library, name))

static void describe_openblas(peer *of, const char *prefix)
{
    char name[64];
    typedef char *text_fn(void);
    snprintf(name, sizeof name, "%sopenblas_get_config", prefix);
    text_fn *config = FIND(of->library, text_fn, name);
    snprintf(name, sizeof name, "%sopenblas_get_corename", prefix);
    text_fn *core = FIND(of->library, text_fn, name);
    snprintf(of->kernels, sizeof of->kernels, "%s", core ? core() : "");
    snprintf(of->about, sizeof of->about, "%s; kernels for %s", config ? config() : "OpenBLAS",
             core ? core() : "what it does not tell");
}

static void describe_blis(peer *of, const char *prefix)
{
    (void)prefix;
    typedef const char *text_fn(void);
    typedef int query_fn(void);
    typedef const char *string_fn(int);
    text_fn *version = FIND(of->library, text_fn, "bli_info_get_version_str");
    query_fn *query = FIND(of->library, query_fn, "bli_arch_query_id");
    string_fn *string = FIND(of->library, string_fn, "bli_arch_string");
    snprintf(of->kernels, sizeof of->kernels, "%s", query && string ? string(query()) : "");
    snprintf(of->about, sizeof of->about, "BLIS %s; kernels for %s", version ? version() : "",
             query && string ? of->kernels : "what it does not tell");
}

/* MKL keeps the kernels of each instruction set in a library of its own and loads one at its first
 * product: which one it was tells more than any of its calls. */
static int find_mkl_kernels(struct dl_phdr_info *info, size_t size, void *of)
{
    static const char *const sets[] = { "avx10", "avx512", "avx2", "mc3", "def" };
    (void)size;
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        char file[32];
        snprintf(file, sizeof file, "/libmkl_%s.so", sets[i]);
        if (info->dlpi_name && strstr(info->dlpi_name, file))
            snprintf(((peer *)of)->kernels, sizeof((peer *)of)->kernels, "%s", sets[i]);
    }
    return 0;
}

static void describe_mkl(peer *of, const char *prefix)
{
    (void)prefix;
    typedef void version_fn(char *, int);
    version_fn *version = FIND(of->library, version_fn, "MKL_Get_Version_String");
    char text[256] = "MKL";
    if (version)
        version(text, (int)sizeof text - 1);
    for (size_t end = strlen(text); end && text[end - 1] == ' ';)
        text[--end] = 0; /* it pads */
    dl_iterate_phdr(find_mkl_kernels, of);
    snprintf(of->about, sizeof of->about, "%s; kernels for %s", text,
             *of->kernels ? of->kernels : "what it does not tell");
}

/* A library is of the first kind whose thread call it has. */
static const struct kind {
    const char *name, *prefix, *set_threads;
    void (*describe)(peer *, const char *prefix);
} kinds[] = {
    { "OpenBLAS", "", "openblas_set_num_threads", describe_openblas },
    { "OpenBLAS", "scipy_", "scipy_openblas_set_num_threads", describe_openblas },
    { "BLIS", "", "bli_thread_set_num_threads", describe_blis },
    { "MKL", "", "MKL_Set_Num_Threads", describe_mkl },
};

/* Each in its own scope first: MKL makes its names everybody's, and a library loaded after it would call MKL's sgemm.
 * Sanitizers refuse that. */
#if defined(RTLD_DEEPBIND) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define OWN_SCOPE RTLD_DEEPBIND
#else
#define OWN_SCOPE 0
#endif

static void *load(const char *text, char *sentence, int size)
{
    const loading *one = known;
    while (one->name && strcasecmp(text, one->name) != 0)
        one++;
    return loading_open(one, one->name ? NULL : text, RTLD_NOW | RTLD_LOCAL | OWN_SCOPE, sentence, size);
}

/* A library with Fortran's names only: column-major, arguments by address. Row-major C = A B is C^T = B^T A^T. One
 * at a time. */
typedef void fortran_sgemm_fn(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k,
                              const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                              const float *beta, float *c, const int *ldc);
typedef void fortran_dgemm_fn(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k,
                              const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                              const double *beta, double *c, const int *ldc);
static fortran_sgemm_fn *fortran_sgemm;
static fortran_dgemm_fn *fortran_dgemm;

static const char *letter(int trans)
{
    return trans == CBLAS_NO_TRANS ? "N" : "T";
}

static void call_fortran_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a,
                               int lda, const float *b, int ldb, float beta, float *c, int ldc)
{
    if (order == CBLAS_ROW_MAJOR)
        fortran_sgemm(letter(trans_b), letter(trans_a), &n, &m, &k, &alpha, b, &ldb, a, &lda, &beta, c, &ldc);
    else
        fortran_sgemm(letter(trans_a), letter(trans_b), &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

static void call_fortran_dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double *a,
                               int lda, const double *b, int ldb, double beta, double *c, int ldc)
{
    if (order == CBLAS_ROW_MAJOR)
        fortran_dgemm(letter(trans_b), letter(trans_a), &n, &m, &k, &alpha, b, &ldb, a, &lda, &beta, c, &ldc);
    else
        fortran_dgemm(letter(trans_a), letter(trans_b), &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

static void find_fortran(peer *of)
{
    fortran_sgemm_fn *const sgemm = FIND(of->library, fortran_sgemm_fn, "sgemm_");
    fortran_dgemm_fn *const dgemm = FIND(of->library, fortran_dgemm_fn, "dgemm_");
    if (fortran_sgemm || !sgemm || !dgemm)
        return;
    fortran_sgemm = sgemm;
    fortran_dgemm = dgemm;
    of->sgemm = call_fortran_sgemm;
    of->dgemm = call_fortran_dgemm;
}

static void find_products(peer *of, const char *prefix)
{
    char name[64];
    snprintf(name, sizeof name, "%scblas_sgemm", prefix);
    of->sgemm = FIND(of->library, cblas_sgemm_fn, name);
    snprintf(name, sizeof name, "%scblas_dgemm", prefix);
    of->dgemm = FIND(of->library, cblas_dgemm_fn, name);
    snprintf(name, sizeof name, "%scblas_cgemm", prefix);
    of->cgemm = FIND(of->library, cblas_complex_fn, name);
    snprintf(name, sizeof name, "%scblas_zgemm", prefix);
    of->zgemm = FIND(of->library, cblas_complex_fn, name);
}

/* Many libraries choose their kernels at the first product. */
static void multiply_once(const peer *of)
{
    const float a = 2, b = 3;
    float c = 0;
    of->sgemm(CBLAS_ROW_MAJOR, CBLAS_NO_TRANS, CBLAS_NO_TRANS, 1, 1, 1, 1, &a, 1, &b, 1, 0, &c, 1);
}

static int has_long_integers(void *library)
{
    return dlsym(library, "cblas_sgemm64_") || dlsym(library, "scipy_cblas_sgemm64_") ||
           dlsym(library, "cblas_sgemm_64");
}

/* Those of a device, and what their files begin with. */
static const char *const on_device[] = { "cublas", "cutensor" };

/* 1 for such a library, and its path or NULL for the one the loader finds. */
static int is_on_device(int which, const char *text, const char **path)
{
    const char *base = strrchr(text, '/'), *name = on_device[which];
    char file[16];
    snprintf(file, sizeof file, "lib%s", name);
    *path = strcasecmp(text, name) == 0 ? NULL : text;
    return !*path || strncmp(base ? base + 1 : text, file, strlen(file)) == 0;
}

static int open_on_device(int which, const char *path, peer *out)
{
    const int status = cuda_need(LAY_DEVICE_AUTO);
    return status != EXIT_FINE ? status
           : which             ? cuda_of_tool->open_cutensor(path, out)
                               : cuda_of_tool->open_cublas(path, out);
}

int peer_open(const char *path, peer *out)
{
    const char *file;
    char sentence[640];
    *out = (peer){ 0 };
    for (int i = 0; i < 2; i++)
        if (is_on_device(i, path, &file))
            return open_on_device(i, file, out);
    out->library = load(path, sentence, (int)sizeof sentence);
    if (!out->library)
        return refuse("%s", sentence);
    if (tblis_find(out->library, out))
        return EXIT_FINE;
    const char *base = strrchr(path, '/');
    snprintf(out->name, sizeof out->name, "%.31s", base ? base + 1 : path);
    const struct kind *kind = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !kind; i++)
        if ((out->set_threads = FIND(out->library, set_threads_fn, kinds[i].set_threads)))
            kind = &kinds[i];
    find_products(out, kind ? kind->prefix : "");
    if (!out->sgemm)
        find_fortran(out);
    if (!out->sgemm || !out->dgemm)
        return refuse("%s: has no cblas_sgemm and cblas_dgemm%s", path,
                      has_long_integers(out->library) ? " of 32-bit integers" : "");
    multiply_once(out);
    if (kind) {
        snprintf(out->name, sizeof out->name, "%s", kind->name);
        kind->describe(out, kind->prefix);
    } else {
        snprintf(out->about, sizeof out->about, "%.300s; no call to set its threads is known", path);
    }
    return EXIT_FINE;
}

static int has_avx512(void)
{
#if LAY_X86
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#else
    return 0;
#endif
}

/* The kernels that use AVX-512, and what to say where others run on a CPU that has it. */
static const struct {
    const char *name;
    const char *wide[MAX_NAMES];
    const char *otherwise;
} widest[] = {
    { "OpenBLAS",
      { "SkylakeX", "Cooperlake", "SapphireRapids" },
      "this CPU has AVX-512, but it chose other kernels: --peer-env=OPENBLAS_CORETYPE=SkylakeX forces such" },
    { "BLIS",
      { "skx", "zen4", "zen5" },
      "this CPU has AVX-512, but it chose other kernels: --peer-env=BLIS_ARCH_TYPE=0 forces its skx ones" },
    { "MKL", { "avx512", "avx10" }, "this CPU has AVX-512, but it chose other kernels" },
};

const char *peer_hint(const peer *of)
{
    if (!has_avx512() || !*of->kernels)
        return NULL;
    for (size_t i = 0; i < sizeof widest / sizeof widest[0]; i++) {
        if (strncmp(of->name, widest[i].name, strlen(widest[i].name)) != 0)
            continue;
        for (int j = 0; j < MAX_NAMES && widest[i].wide[j]; j++)
            if (strcasecmp(of->kernels, widest[i].wide[j]) == 0)
                return NULL;
        return widest[i].otherwise;
    }
    return NULL;
}
