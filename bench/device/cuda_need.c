/* What of the tool needs CUDA: the way there. */
#include "bench/base/complain.h"
#include "cuda_part.h"

int cuda_need(int device)
{
    return cuda_of_tool ? cuda_of_tool->open(device) : refuse("this build of lay has no CUDA part");
}
