// Package drive lets the lab's Rancher and operators run in real time on an API
// server: a real one, in tests, or the lab's own.
package drive
