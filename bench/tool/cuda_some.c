/* A build with CUDA. */
#include "bench/contest/contest_device.h"
#include "bench/contest/contest_tensors.h"
#include "bench/device/cuda_part.h"
#include "bench/device/device.h"
#include "bench/peers/peer_cublas.h"
#include "bench/peers/peer_cutensor.h"
#include "bench/peers/several.h"
#include "bench/reports/reports.h"

static const cuda_part part = {
    .is_here = device_is_here,
    .open = device_open,
    .open_cublas = peer_cublas_open,
    .open_cutensor = peer_cutensor_open,
    .open_several = several_open,
    .contest = contest_on_device,
    .contest_tensors = contest_tensors,
    .find_roof = roof_of_device,
    .transfers_create = transfers_create,
    .transfers_run = transfers_run,
    .transfers_destroy = transfers_destroy,
    .reports = reports_of_device,
    .print_device = report_print_device,
};

const cuda_part *const cuda_of_tool = &part;
