package rancher_test

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// peakMemory is a finished process's largest resident size in KB, 0 where the
// system does not tell.
func peakMemory(p *os.ProcessState) int64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return int64(u.Maxrss)
	}
	return 0
}

func testContext() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt)
}
