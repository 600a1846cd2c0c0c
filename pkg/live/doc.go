// Package live is the contract between the program and the readers of the clouds
// in plugins/eks, aks, gke and ack: what a reader is asked, what it answers, and
// how it says what it could not read.
//
// A reading has two results. The view (hosted.Reading.Spec) is what Rancher makes
// of the cloud's answers, its conversions and blind spots included; predictions
// work on it. The truth (hosted.Reading.Truth) is the same cloud in the Config's
// words with nothing left out that Rancher cannot see. Where the two differ,
// Rancher is blind or wrong; where the view and the UpstreamSpec differ, Rancher's
// reading is old.
//
// Readers only ever read. Permissions lists every right that one uses. What a cloud
// answers is quoted by OneLine, and by Secrets where it may repeat what was logged in
// with.
package live
