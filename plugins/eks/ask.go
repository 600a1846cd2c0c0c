package eks

import (
	"context"
	"sync"
)

// atOnce is how many calls are under way for one cluster.
const atOnce = 4

// each does something with every item, some at once. After an error it starts
// nothing new, cancels what is under way and returns that first error.
func each[T any, E interface {
	comparable
	error
}](ctx context.Context, items []T, do func(context.Context, T) E) E {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		first, none E
		mu          sync.Mutex
		running     sync.WaitGroup
	)
	todo := make(chan T)
	for range min(atOnce, len(items)) {
		running.Go(func() {
			for item := range todo {
				if err := do(ctx, item); err != none {
					mu.Lock()
					if first == none {
						first = err
					}
					mu.Unlock()
					cancel()
				}
			}
		})
	}
feed:
	for _, item := range items {
		select {
		case todo <- item:
		case <-ctx.Done():
			mu.Lock()
			failed := first != none
			mu.Unlock()
			if failed {
				break feed
			}
			todo <- item // the call itself says that the time is over
		}
	}
	close(todo)
	running.Wait()
	return first
}
