/* Rooms: the memory of a place of this process, and who moves and multiplies there. Host memory is the CPU's, which has
 * done what it is asked for when a call returns; a device has streams of the team's, for what arrives from others, for
 * what only goes elsewhere there, for what leaves for other ranks, and for products, so that all go on at once. */
#ifndef LAY_TEAM_ROOM_H
#define LAY_TEAM_ROOM_H

#include <stddef.h>

#include "layoutgemm_team.h"
#include "plan/plan.h"
#include "team/rooms/box.h"

typedef struct lay_room {
    int device;                         /* LAY_DEVICE_HOST */
    void *arrive, *near, *leave, *work; /* streams; NULL on the host */
    void *begun, *is_near;              /* events; NULL on the host */
    int has_near;                       /* near has something that arrive does not wait for yet */
    int has_begun[2];                   /* near, leave: they wait for begun, as they are used in this run */
    int is_gathered;                    /* work waits for all other streams */
} lay_room;

typedef struct lay_room_kind {
    lay_memory memory; /* for predictions */

    lay_status (*open)(lay_room *room);
    void (*close)(lay_room *room);

    /* Memory there, aligned to 64 bytes at least. LAY_ERR_MEMORY, LAY_ERR_DEVICE. NULL is fine to give. */
    lay_status (*take)(const lay_room *room, size_t bytes, void **block);
    void (*give)(const lay_room *room, void *block);

    /* What a product's options say of the room. */
    void (*set)(const lay_room *room, lay_options *options);

    /* Takes what runs of a product's plan need. */
    lay_status (*ready)(const lay_room *room, lay_plan *plan);

    /* Whether values of a part may have it computed otherwise than the whole product is. Then note, behind a product,
     * sends what they were to a word of message memory, and settle, after all has been done, is LAY_OK or says why.
     * LAY_ERR_UNSUPPORTED, LAY_ERR_DEVICE. */
    int (*hangs_on_values)(const lay_room *room, const lay_plan *plan);
    lay_status (*note)(const lay_room *room, const lay_plan *plan, unsigned *found);
    lay_status (*settle)(const lay_room *room, const lay_plan *plan, unsigned found);

    /* What products of plans that hang on values make of A or B, once for those that take the same one: its bytes, with
     * the seconds in which it is made and all of *limbs but its address; and among products the making of it, of the
     * operand whose offset 0 is at zero. 0 bytes: nothing, or each plan another one. */
    size_t (*limbs_size)(const lay_room *room, const lay_plan *plan, lay_operand operand, double *seconds,
                         lay_packed *limbs);
    lay_status (*put_limbs)(const lay_room *room, const lay_plan *plan, const lay_packed *limbs, const void *zero);

    /* LAY_OK where memory at address is the room's. name and place are for the sentence. */
    lay_status (*check)(const lay_room *room, const void *address, const char *name, int place);

    /* LAY_OK where the other rooms may read such memory of rooms[own]. */
    lay_status (*check_source)(const lay_room rooms[], int count, int own, const void *address, const char *name,
                               int place);

    /* Moves a box to here from another room of the kind, among what arrives. from and to: offset 0. */
    lay_status (*move)(lay_room *room, const lay_room *other, const lay_box *box, lay_type type, const void *from,
                       void *to);

    /* Memory of messages, which the transport reads and writes; and boxes between it, or memory of the room's own, and
     * the room, of what leaves and among what arrives. As take, give and move. */
    lay_status (*take_packed)(const lay_room *room, size_t bytes, void **block);
    void (*give_packed)(const lay_room *room, void *block);
    lay_status (*pack)(lay_room *room, int is_own, const lay_box *box, lay_type type, const void *from, void *packed);
    lay_status (*unpack)(lay_room *room, int is_own, const lay_box *box, lay_type type, const void *packed, void *to);

    /* Marks in a room's streams. A mark that was never set is not waited for. */
    lay_status (*open_mark)(const lay_room *room, void **mark);
    void (*close_mark)(const lay_room *room, void *mark);
    lay_status (*set_arrived)(lay_room *room, void *mark);         /* behind what arrives */
    lay_status (*await_arrived)(const lay_room *room, void *mark); /* products do */
    lay_status (*set_worked)(const lay_room *room, void *mark);    /* behind products */
    lay_status (*await_worked)(const lay_room *room, void *mark);  /* what arrives does */
    lay_status (*set_packed)(lay_room *room, void *mark);          /* behind what leaves */
    lay_status (*await_packed)(const lay_room *room, void *mark);  /* what arrives does */
    lay_status (*await_sent)(const lay_room *room, void *mark);    /* what leaves does */

    /* Whether what a mark stands behind has been done, without waiting; after an error, too. */
    lay_status (*is_done)(const lay_room *room, void *mark, int *is_done);

    /* Streams begin behind what all rooms' default streams have been given; and the caller waits for all streams, after
     * a begin that failed, too. */
    lay_status (*begin)(lay_room rooms[], int count);
    lay_status (*join)(lay_room rooms[], int count);
} lay_room_kind;

extern const lay_room_kind lay_room_host, lay_room_device;

#endif
