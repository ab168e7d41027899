/* What a name of the BLAS needs to be seen from outside. */
#ifndef LAYBLAS_EXPORTED_H
#define LAYBLAS_EXPORTED_H

#define EXPORTED __attribute__((visibility("default")))

#endif
