/* label.h -- labels that a user gives a run, such as build, branch or service. */
#ifndef MP_LABEL_H
#define MP_LABEL_H

#define MP_LABELS_MOST 64u      /* maximum number of labels of a run */

struct mp_label {
    const char *name, *value;
};

#endif
