// heap.go -- a Go program that writes its own heap profile: a tree that is kept, blocks that are not.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
)

type node struct {
	left, right *node
	pad         [48]byte
}

//go:noinline
func grow(n int) *node {
	if n == 0 {
		return nil
	}
	return &node{left: grow(n - 1), right: grow(n - 1)}
}

var last []byte // so that no compiler puts blocks on the stack

//go:noinline
func churn() {
	for i := 0; i < 1000; i++ {
		last = make([]byte, 100)
	}
	last = nil
}

func main() {
	runtime.MemProfileRate = 1 // every allocation
	tree := grow(10)
	churn()
	runtime.GC()
	f, _ := os.Create(os.Args[1])
	pprof.WriteHeapProfile(f)
	f.Close()
	runtime.KeepAlive(tree)
}
/* SPDX-License-Identifier: MIT */
