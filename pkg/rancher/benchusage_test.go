package rancher_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"
)

// watchPeak follows a process's largest resident size in KB, as Linux counts it
// for the program itself (the figure that wait returns includes the parent at the
// moment of the fork). Calling stop returns it, 0 on other systems.
func watchPeak(pid int) (stop func() int64) {
	done, peak := make(chan struct{}), make(chan int64)
	go func() {
		var highest int64
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			highest = max(highest, residentPeak(pid))
			select {
			case <-tick.C:
			case <-done:
				peak <- highest
				return
			}
		}
	}()
	return func() int64 {
		close(done)
		return <-peak
	}
}

func residentPeak(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(data), "VmHWM:")
	var kb int64
	_, _ = fmt.Sscan(after, &kb)
	return kb
}

func testContext() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt)
}
