// Readaks answers how Rancher's own code reads AKS clusters, one JSON request a
// line with one JSON answer a line.
//
// A request is {"config": …, "secret": …}: the Config and the data of the cloud
// credential that it names. The answer is {"spec": …} as Rancher's refresher stores
// it, or {"error": …}. What the refresher adds to the operator's answer is the
// cluster's identity (rancher/rancher, clusterupstreamrefresher/aks_upstream_spec.go).
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/rancher/aks-operator/controller"
	aksv1 "github.com/rancher/aks-operator/pkg/apis/aks.cattle.io/v1"
	wranglerv1 "github.com/rancher/wrangler/v3/pkg/generated/controllers/core/v1"
	"github.com/sirupsen/logrus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type request struct {
	Config aksv1.AKSClusterConfigSpec `json:"config"`
	Secret map[string]string          `json:"secret"`
}

type answer struct {
	Spec  *aksv1.AKSClusterConfigSpec `json:"spec,omitempty"`
	Error string                      `json:"error,omitempty"`
}

// oneSecret is the only secret there is. Every other use of it crashes.
type oneSecret struct {
	wranglerv1.SecretClient
	data map[string]string
}

// Get returns the secret under any name.
func (s oneSecret) Get(namespace, name string, _ metav1.GetOptions) (*corev1.Secret, error) {
	out := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{}}
	for k, v := range s.data {
		out.Data[k] = []byte(v)
	}
	return out, nil
}

func main() {
	logrus.SetOutput(io.Discard)
	if err := serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "readaks:", err)
		os.Exit(1)
	}
}

// serve answers until the requests end.
func serve(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<20), 64<<20)
	answers := json.NewEncoder(out)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		if err := answers.Encode(read(ctx, r)); err != nil {
			return fmt.Errorf("write an answer: %w", err)
		}
	}
	return lines.Err()
}

// read reads one cluster. Where the code crashes, the answer is what Go would print.
func read(ctx context.Context, r request) (out answer) {
	defer func() {
		if p := recover(); p != nil {
			out = answer{Error: fmt.Sprint("panic: ", p)}
		}
	}()
	spec, err := controller.BuildUpstreamClusterState(ctx, nil, oneSecret{data: r.Secret}, &r.Config)
	if err != nil {
		return answer{Error: err.Error()}
	}
	spec.ClusterName, spec.ResourceGroup, spec.ResourceLocation = r.Config.ClusterName, r.Config.ResourceGroup, r.Config.ResourceLocation
	spec.AzureCredentialSecret, spec.Imported = r.Config.AzureCredentialSecret, r.Config.Imported
	return answer{Spec: spec}
}
