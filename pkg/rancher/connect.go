package rancher

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// nowhere is the address that kubectl's flags assume without any kubeconfig.
const nowhere = "localhost:8080"

// Connect makes a Client from a kubeconfig, by kubectl's rules for files,
// contexts and flags. userAgent may be empty. It does not talk to the server.
func Connect(loader clientcmd.ClientConfig, userAgent string) (*Client, error) {
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, loadError(raw, err)
	}
	cfg, err := loader.ClientConfig()
	if err != nil {
		return nil, loadError(raw, err)
	}
	if err := defaulted(raw, cfg.Host); err != nil {
		return nil, err
	}
	if userAgent != "" {
		cfg.UserAgent = userAgent
	}
	return New(cfg)
}

// defaulted finds out whether an address is kubectl's assumption, because the
// kubeconfig has none.
func defaulted(raw clientcmdapi.Config, host string) error {
	if !strings.HasSuffix(strings.TrimRight(host, "/"), nowhere) {
		return nil
	}
	if len(raw.Clusters) == 0 {
		return noKubeconfig(nil)
	}
	for _, c := range raw.Clusters {
		if strings.Contains(c.Server, nowhere) {
			return nil
		}
	}
	return kubeconfigError("the kubeconfig is not usable", "",
		errors.New("no context is chosen, or it names a cluster that is not there"))
}

func loadError(raw clientcmdapi.Config, err error) error {
	var missing *fs.PathError
	text := oneLine(err.Error())
	switch {
	case errors.As(err, &missing):
		return kubeconfigError("cannot read the kubeconfig", missing.Path, missing.Err)
	case clientcmd.IsEmptyConfig(err):
		return noKubeconfig(err)
	case clientcmd.IsContextNotFound(err), strings.Contains(text, "context ") && strings.Contains(text, "does not exist"):
		return &Error{
			Kind: UnknownContext, What: text, Cause: err,
			Fix: "choose one of: " + contexts(raw),
		}
	}
	return kubeconfigError("the kubeconfig is not usable", "", err)
}

func contexts(raw clientcmdapi.Config) string {
	const shown = 10
	names := slices.Sorted(maps.Keys(raw.Contexts))
	if len(names) == 0 {
		return "(the kubeconfig has no contexts)"
	}
	if len(names) > shown {
		return fmt.Sprintf("%s and %d more (kubectl config get-contexts)", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return strings.Join(names, ", ")
}

func noKubeconfig(cause error) *Error {
	return &Error{
		Kind: BadKubeconfig, Cause: cause, What: "no kubeconfig found",
		Fix: "set KUBECONFIG or --kubeconfig to one for Rancher's local cluster, or read objects from a file with -f",
	}
}

func kubeconfigError(what, where string, cause error) *Error {
	return &Error{
		Kind: BadKubeconfig, What: what + ": " + oneLine(cause.Error()), Where: where, Cause: cause,
		Fix: "check it with: kubectl config view",
	}
}
