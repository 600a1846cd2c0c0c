// Package rig gives a test a cluster that lives: a Cluster and its custom resource
// on a real API server, the lab's Rancher and operator at work on them through
// client-go, and a cloud that the test can change behind their backs.
//
//	r := rig.New(t, bed.Server(t), rig.Options{Name: "c-abc"})
//	r.Console(t, "privateAccess", true)   // acknowledged by the cloud
//	…                                     // make a change, with whatever is tested
//	r.Live(t)                             // what became of it
package rig
