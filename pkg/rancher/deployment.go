package rancher

import (
	"context"
	"errors"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// Operator reads the state of a provider's operator from its Deployment. That
// there is none, or that it may not be read, is part of the answer and no error.
func (c *Client) Operator(ctx context.Context, p hosted.Provider) (hosted.OperatorState, error) {
	obj, err := c.Get(ctx, Deployments(), p.OperatorName())
	switch KindOf(err) {
	case NotFound:
		return hosted.OperatorState{}, nil
	case Forbidden, NotInstalled:
		var e *Error
		errors.As(err, &e)
		return hosted.OperatorState{Unread: e.What}, nil
	}
	if err != nil {
		return hosted.OperatorState{}, err
	}
	return hosted.OperatorStateOf(obj), nil
}
