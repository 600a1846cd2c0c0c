// Package sim is the race lab: a deterministic, clocked model of one hosted cluster
// and everybody who writes to it, in which a change is made again and again among
// all that can happen around it.
//
//	Memory      an API server for the two objects: resourceVersions, conflicts,
//	            status subresource, merge patches
//	Rancher     the cluster handler (custom resource, ten seconds' wait, applied
//	            spec) and the refresher (one or three writes), step by step
//	Operator    reads its resource, reconciles, writes its status
//	Cloud       the provider's restated operator code on a cloud that keeps what it
//	            is told, with updates that take time and are refused meanwhile
//	people      console users, autoscalers, edits in Rancher, forms that were opened
//	            long before; restarts, outages, faults
//	the change  guarded (the machine of pkg/resync, cut off now and then as by a
//	            crash), a plain patch, or a PUT of the whole
//
// What the refresher decides and what an operator pushes is not modelled but asked
// of pkg/predict and pkg/operator, the same functions that users are shown the
// answers of. The lab adds order, latency, crashes and conflicts.
//
// Every step is one that nothing else can fall into; Choices decide what comes next
// and how long it takes. A seed makes a run, Explore plays many, and a run that must
// not be is shrunk to its simplest form.
//
// Two accounts are kept. The ledger knows where every value comes from, so that it
// can tell when an older intention takes the place of a newer one: a loss, whoever
// led to it. The claims compare what the rules and predictions said at some moment
// with what then happened.
package sim
