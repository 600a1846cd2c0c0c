// Readeks answers how Rancher's own code reads EKS clusters, one JSON request a
// line with one JSON answer a line. It logs in by the environment.
//
// A request is {"config": …, "managedLaunchTemplateID": …, "region": …, "name": …}:
// the Config, of which only displayName is used, the place, and the name that errors
// call the cluster. The answer is {"spec": …} as controller.BuildUpstreamClusterState
// returns it, or {"error": …}. The calls before that are those of Rancher's refresher
// (rancher/rancher, clusterupstreamrefresher/eks_upstream_spec.go).
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	awseks "github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/rancher/eks-operator/controller"
	eksv1 "github.com/rancher/eks-operator/pkg/apis/eks.cattle.io/v1"
	"github.com/rancher/eks-operator/pkg/eks/services"
	"github.com/sirupsen/logrus"
)

type request struct {
	Config struct {
		DisplayName string `json:"displayName"`
	} `json:"config"`
	ManagedLaunchTemplateID string `json:"managedLaunchTemplateID"`
	Region                  string `json:"region"`
	Name                    string `json:"name"`
}

type answer struct {
	Spec  *eksv1.EKSClusterConfigSpec `json:"spec,omitempty"`
	Error string                      `json:"error,omitempty"`
}

func main() {
	logrus.SetOutput(io.Discard)
	if err := serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "readeks:", err)
		os.Exit(1)
	}
}

// serve answers until the requests end.
func serve(ctx context.Context, in io.Reader, out io.Writer) error {
	base, err := config.LoadDefaultConfig(ctx, config.WithDefaultRegion("us-west-2"))
	if err != nil {
		return fmt.Errorf("find the login: %w", err)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<20), 64<<20)
	answers := json.NewEncoder(out)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		cfg := base.Copy()
		cfg.Region = r.Region
		if err := answers.Encode(read(ctx, cfg, r)); err != nil {
			return fmt.Errorf("write an answer: %w", err)
		}
	}
	return lines.Err()
}

// read reads one cluster. Where the code crashes, the answer is what Go would print.
func read(ctx context.Context, cfg aws.Config, r request) (out answer) {
	defer func() {
		if p := recover(); p != nil {
			out = answer{Error: fmt.Sprint("panic: ", p)}
		}
	}()
	spec, err := build(ctx, services.NewEKSService(cfg), services.NewEC2Service(cfg), r)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Spec: spec}
}

func build(ctx context.Context, eks services.EKSServiceInterface, ec2 services.EC2ServiceInterface, r request) (*eksv1.EKSClusterConfigSpec, error) {
	name := aws.String(r.Config.DisplayName)
	cluster, err := eks.DescribeCluster(ctx, &awseks.DescribeClusterInput{Name: name})
	if err != nil {
		return nil, err
	}
	list, err := eks.ListNodegroups(ctx, &awseks.ListNodegroupsInput{ClusterName: name})
	if err != nil {
		return nil, err
	}
	var groups []*awseks.DescribeNodegroupOutput
	for _, group := range list.Nodegroups {
		g, err := eks.DescribeNodegroup(ctx, &awseks.DescribeNodegroupInput{ClusterName: name, NodegroupName: aws.String(group)})
		if err != nil {
			return nil, err
		}
		groups = append(groups, g)
	}
	spec, _, err := controller.BuildUpstreamClusterState(ctx, r.Name, r.ManagedLaunchTemplateID, cluster, groups, ec2, eks, false)
	return spec, err
}
