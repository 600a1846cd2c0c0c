package rancher

import (
	"context"
	"time"
)

// SetPause replaces how a Client waits.
func (c *Client) SetPause(pause func(context.Context, time.Duration) error) { c.pause = pause }
