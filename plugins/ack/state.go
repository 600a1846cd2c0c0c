package ack

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	cs "github.com/rancher/muchang/cs/client"
	"github.com/rancher/muchang/utils/tea/dara"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/live"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator/ack"
)

// state is what Alibaba Cloud answered about one cluster; a nil body is an answer
// without one.
type state struct {
	cluster *cs.DescribeClusterDetailResponseBody
	pools   *cs.DescribeClusterNodePoolsResponseBody
	// task is the upgrade that Rancher asked for, if it was asked about.
	task        *cs.DescribeTaskInfoResponseBody
	taskProblem *live.Problem
}

// state asks for everything at once. As in Rancher, a cluster without its node
// pools is no reading.
func (r *Reader) state(ctx context.Context, a *account, at place, req live.Request) (*state, *live.Problem) {
	var s state
	var noCluster, noPools *live.Problem
	var wg sync.WaitGroup
	wg.Go(func() {
		var got *cs.DescribeClusterDetailResponse
		got, noCluster = ask(ctx, r, a, callDetail, func(ctx context.Context) (*cs.DescribeClusterDetailResponse, error) {
			return a.client.DescribeClusterDetailWithContext(ctx, &at.id, nil, &dara.RuntimeOptions{})
		})
		if got != nil {
			s.cluster = got.Body
		}
	})
	wg.Go(func() {
		var got *cs.DescribeClusterNodePoolsResponse
		got, noPools = ask(ctx, r, a, callPools, func(ctx context.Context) (*cs.DescribeClusterNodePoolsResponse, error) {
			return a.client.DescribeClusterNodePoolsWithContext(ctx, &at.id, &cs.DescribeClusterNodePoolsRequest{}, nil, &dara.RuntimeOptions{})
		})
		if got != nil {
			s.pools = got.Body
		}
	})
	if at.task != "" && !req.Since.IsZero() {
		wg.Go(func() {
			var got *cs.DescribeTaskInfoResponse
			got, s.taskProblem = ask(ctx, r, a, callTask, func(ctx context.Context) (*cs.DescribeTaskInfoResponse, error) {
				return a.client.DescribeTaskInfoWithContext(ctx, &at.task, nil, &dara.RuntimeOptions{})
			})
			if got != nil {
				s.task = got.Body
			}
		})
	}
	wg.Wait()
	if noCluster != nil {
		return nil, noCluster
	}
	return &s, noPools
}

// cloud puts the answers together as the operator's package reads them. The
// library's types have the API's own member names.
func (s *state) cloud() (ack.Cloud, error) {
	data, err := json.Marshal(map[string]any{"cluster": s.cluster, "nodePools": s.pools})
	if err != nil {
		return ack.Cloud{}, fmt.Errorf("cannot write the cluster's document: %w", err)
	}
	return ack.DecodeCloud(data)
}

// fill makes view, truth and sources.
func (s *state) fill(reading *hosted.Reading, snapshot *hosted.Snapshot, at place) *live.Problem {
	garbled := func(err error) *live.Problem {
		return &live.Problem{Kind: live.Garbled, Call: callDetail, Text: "the answers do not fit: " + live.OneLine(err.Error()), Err: err,
			Fix: "update this program: Alibaba Cloud's answer has a form that it does not know"}
	}
	if s.cluster == nil {
		return &live.Problem{Kind: live.Garbled, Call: callDetail, Text: "received empty cluster response", Fix: "try again; Rancher's refresh fails for the same reason"}
	}
	cloud, err := s.cloud()
	if err != nil {
		return garbled(err)
	}
	in := ack.Input{Name: snapshot.Name, Config: snapshot.Config, ClusterID: at.id, Cloud: cloud}
	if snapshot.CR != nil {
		in.Status = snapshot.CR.Status
	}
	v := ack.Read(in)
	switch {
	case v.Panic:
		return &live.Problem{Kind: live.Unsupported, Call: callPools, Text: "Rancher crashes when it reads this cluster: " + live.OneLine(v.Error),
			Fix: "look for a node pool without a scaling group in Alibaba Cloud"}
	case v.Error != "":
		return &live.Problem{Kind: live.Unsupported, Call: callDetail, Text: "Rancher itself cannot read this cluster: " + live.OneLine(v.Error),
			Fix: "correct what the text names; Rancher's refresh fails for the same reason"}
	}
	reading.Spec = v.Rancher
	if reading.Truth, reading.Sources, err = s.truth(cloud, at); err != nil {
		reading.Spec = nil
		return garbled(err)
	}
	if s.pools == nil {
		reading.Partial = true
		reading.Error = "the answer about node pools is empty: Rancher takes the Config itself for the cluster's state then"
	}
	return nil
}
