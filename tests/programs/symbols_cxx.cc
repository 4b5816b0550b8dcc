// symbols_cxx.cc -- C++ with namespaces, classes in classes, templates and overloads.
#include <cstddef>

#include "symbols.h"

void *kept;

namespace shop {

class Basket {
public:
    struct Item {                       // 56 bytes
        double price[7];
    };
    Basket() : last(nullptr) {}
    __attribute__((noinline)) void add(int number);
    __attribute__((noinline)) void add(double price);
    Item *last;
};

void
Basket::add(int number)
{
    Item *item = new Item;

    SITE(site_add_int);
    item->price[0] = number;
    last = item;
}

void
Basket::add(double price)
{
    Item *item = new Item;

    SITE(site_add_double);
    item->price[0] = price;
    last = item;
}

template <typename T>
__attribute__((noinline)) T *
make(void)
{
    T *made = new T;

    SITE(site_make);
    return made;
}

}

namespace {

struct Secret {                         // 72 bytes
    long number[9];
};

__attribute__((noinline)) void
hide()
{
    Secret *secret = new Secret;

    SITE(site_hide);
    secret->number[0] = 1;
    kept = secret;
}

}

int
main(int argc, char **)
{
    shop::Basket *basket = shop::make<shop::Basket>();

    basket->add(argc);
    basket->add(1.5);
    hide();
    kept = basket;
    return 0;
}
/* SPDX-License-Identifier: MIT */
