/* SPDX-License-Identifier: MIT */
"use strict";
document.documentElement.classList.add("scripted");
