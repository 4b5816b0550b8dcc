#include "tests/unit/tap.h"

#include "reporter/push/retry.h"

#define SECOND UINT64_C(1000000000)

TEST(each_status_has_a_meaning)
{
    static const struct {
        unsigned status;
        bool told;
        enum mp_push_verdict verdict;
    } all[] = {
        {200, false, MP_PUSH_TAKEN}, {202, false, MP_PUSH_TAKEN}, {204, true, MP_PUSH_TAKEN},
        {0, false, MP_PUSH_LATER}, {408, false, MP_PUSH_LATER}, {425, false, MP_PUSH_LATER},
        {429, false, MP_PUSH_LATER}, {429, true, MP_PUSH_LATER}, {500, false, MP_PUSH_LATER},
        {502, false, MP_PUSH_LATER}, {503, true, MP_PUSH_LATER}, {504, false, MP_PUSH_LATER},
        {599, false, MP_PUSH_LATER}, {413, true, MP_PUSH_LATER}, {413, false, MP_PUSH_NEVER},
        {400, false, MP_PUSH_NEVER}, {400, true, MP_PUSH_NEVER}, {415, false, MP_PUSH_NEVER},
        {422, false, MP_PUSH_NEVER}, {301, false, MP_PUSH_WRONG_PLACE}, {307, false, MP_PUSH_WRONG_PLACE},
        {401, false, MP_PUSH_WRONG_PLACE}, {403, false, MP_PUSH_WRONG_PLACE}, {404, false, MP_PUSH_WRONG_PLACE},
        {405, false, MP_PUSH_WRONG_PLACE}, {501, false, MP_PUSH_WRONG_PLACE}, {505, false, MP_PUSH_WRONG_PLACE},
        {600, false, MP_PUSH_WRONG_PLACE}, {999, false, MP_PUSH_WRONG_PLACE}};

    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        ck_assert_msg(mp_push_verdict(all[i].status, all[i].told) == all[i].verdict, "%u", all[i].status);
}

TEST(waits_become_twice_as_long_up_to_a_minute)
{
    uint64_t whole = SECOND / 2;

    for (unsigned failures = 1; failures < 200; failures++) {
        ck_assert_uint_eq(mp_push_wait(failures, 0, 0), whole / 2);
        ck_assert_uint_eq(mp_push_wait(failures, whole / 2, 0), whole);
        for (uint64_t random = 1; random != 0; random *= 3) {
            const uint64_t wait = mp_push_wait(failures, random, 0);

            ck_assert_uint_ge(wait, whole / 2);
            ck_assert_uint_le(wait, whole);
            if (random > UINT64_MAX / 3)
                break;
        }
        whole = 2 * whole < 60 * SECOND ? 2 * whole : 60 * SECOND;
    }
    ck_assert_uint_eq(mp_push_wait(UINT32_MAX, UINT64_MAX, 0) <= 60 * SECOND, true);
}

TEST(what_the_receiver_asks_for_is_waited_up_to_an_hour)
{
    ck_assert_uint_eq(mp_push_wait(1, 0, 7), 7 * SECOND);
    ck_assert_uint_eq(mp_push_wait(20, 0, 1), 30 * SECOND);
    ck_assert_uint_eq(mp_push_wait(1, 0, 3601), 3600 * SECOND);
    ck_assert_uint_eq(mp_push_wait(1, 0, UINT64_MAX), 3600 * SECOND);
}
