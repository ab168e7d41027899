/* What a name of PBLAS needs to be seen from outside. */
#ifndef LAYPBLAS_EXPORTED_H
#define LAYPBLAS_EXPORTED_H

#define EXPORTED __attribute__((visibility("default")))

#endif
