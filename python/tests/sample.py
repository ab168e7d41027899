"""A program as a user writes it, for mypy --strict: it is not run."""

import layoutgemm as lay
import numpy as np

a = np.ones((6, 4), np.float32)
b = np.ones((4, 5), np.float32)
out = np.empty((6, 5), np.float32)

layout: lay.Layout = lay.Layout("A=[2][2][3][2]; [[#A_0][#A_2]][[#A_1][#A_3]]")
rows: tuple[int, ...] = layout.T.extents
strides: tuple[int | None, ...] = layout.strides
tile, offset = layout.tile(3, 2).tile_at(0, 1)
first: int = tile.offset(0, 0) + offset
part = layout[1:, ::2]
blocks = lay.Array(np.zeros(24, np.float32), layout)
turned: lay.Array = blocks.T
print(blocks @ turned, turned @ a, blocks[1, 2], lay.einsum("ab,cb", blocks, blocks).shape)
drawing: lay.Drawing = lay.show(turned, by="line", zoom=(1, 1))
svg: str = drawing.svg

options = lay.Options(threads=2, compute="strict", effort="estimate", time=0.5, devices=None)
lay.cache_limit(lay.cache_info()[1])
lay.tuning_forget()
product: np.ndarray[tuple[int, ...], np.dtype[np.float32]] = lay.matmul(a, b, alpha=2.0, options=options)
lay.matmul(a, b, out=out, layouts=(layout, None, None))
lay.einsum("ab,bc->ca", a, b, conj=(True, False), beta=0)
plan = lay.Plan(a, b, out, labels="ab,bc->ac")
packed: lay.Packed = lay.pack(plan, "b", b)
print(plan(a, packed, out).shape, plan.explain(), packed.nbytes)
lay.run_many(plan, [a], [b], [out])
lay.run_groups([(plan, [a], [b], [out]), (plan, [a], [b], [out], 2, 1)])
lay.copy(a, out=np.empty((6, 4)), alpha=3)
try:
    lay.matmul(a, a)
except lay.LayoutError as error:
    status: str | None = error.status
