/* A build with CUDA. */
#include "contest_device.h"
#include "cuda_part.h"
#include "device.h"
#include "device_reports.h"
#include "peer_cublas.h"

static const cuda_part part = {
    .is_here = device_is_here,
    .open = device_open,
    .open_peer = peer_cublas_open,
    .contest = contest_on_device,
    .transfers_create = transfers_create,
    .transfers_run = transfers_run,
    .transfers_destroy = transfers_destroy,
    .report = device_report,
};

const cuda_part *const cuda_of_tool = &part;
