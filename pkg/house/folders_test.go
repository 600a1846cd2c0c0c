package house

import "strings"

// module is the project's import path.
const module = "github.com/hostedsync/kubectl-hostedsync"

// folder is a row of the layout: what a package is for, and all it may import.
type folder struct {
	path string
	// does completes "It …", mayNot completes "It may not know …".
	does, mayNot string
	// imports are the project's folders that it may import, and tests further ones
	// that only its tests may.
	imports, tests []string
	// modules are the prefixes of import paths outside the project and the standard
	// library that it may import.
	modules []string
	// pure says that it has no effects of its own: no files, network, processes,
	// clock or randomness.
	pure bool
}

// folders lists the layout from the ground up: a folder may import only folders
// above it.
func folders() []folder {
	return []folder{
		{
			path:   "pkg/rawjson",
			does:   "reads JSON by parts, a list item by item, and of each item only what is wanted",
			mayNot: "any kind of object, least of all Rancher's",
			tests:  []string{"pkg/hosted"},
			pure:   true,
		},
		{
			path:    "pkg/hosted",
			does:    "is the vocabulary: providers, snapshots of a cluster's copies, paths and values",
			mayNot:  "which fields a provider has, what happens next, or where a snapshot came from",
			imports: []string{"pkg/rawjson"},
			tests:   []string{"pkg/vectors"},
			modules: []string{"sigs.k8s.io/json"},
			pure:    true,
		},
		{
			path:    "pkg/schema",
			does:    "holds each provider's field table and the conversion through Rancher's types",
			mayNot:  "a cluster, a clock or a rule about time",
			imports: []string{"pkg/hosted"},
			tests:   []string{"pkg/vectors"},
			pure:    true,
		},
		{
			path:    "pkg/fielddiff",
			does:    "compares up to four copies of a specification, place by place",
			mayNot:  "who writes next or when, what is managed, or what an operator pushes",
			imports: []string{"pkg/hosted", "pkg/schema"},
			pure:    true,
		},
		{
			path:   "pkg/operator",
			does:   "defines what one reconcile of an operator amounts to",
			mayNot: "a provider, a Rancher Cluster, a clock, a client or an SDK",
			pure:   true,
		},
		operator("ack", "Alibaba ACK"),
		operator("aks", "AKS"),
		operator("eks", "EKS"),
		operator("gke", "GKE"),
		{
			path:   "pkg/predict",
			does:   "says what the next refresh does and what an edit would push",
			mayNot: "a client, a terminal or the wall clock",
			imports: []string{
				"pkg/hosted", "pkg/schema", "pkg/fielddiff",
				"pkg/operator", "pkg/operator/ack", "pkg/operator/aks", "pkg/operator/eks", "pkg/operator/gke",
			},
			tests: []string{"pkg/vectors"},
			pure:  true,
		},
		{
			path:    "pkg/race",
			does:    "finds the changes that are about to be lost, one rule per way",
			mayNot:  "a client, a terminal, a cloud SDK or the wall clock",
			imports: []string{"pkg/hosted", "pkg/schema", "pkg/fielddiff", "pkg/operator", "pkg/predict"},
			pure:    true,
		},
		{
			path:    "pkg/await",
			does:    "judges whether a cluster has reached what somebody waits for, and says what changed between two states",
			mayNot:  "a client, a terminal or the wall clock",
			imports: []string{"pkg/hosted", "pkg/schema", "pkg/fielddiff", "pkg/operator", "pkg/predict", "pkg/race"},
			pure:    true,
		},
		{
			path:    "pkg/resync",
			does:    "makes guarded changes: plan, preconditions, write, verification",
			mayNot:  "a client, a file, a terminal or the wall clock",
			imports: []string{"pkg/hosted", "pkg/schema", "pkg/fielddiff", "pkg/operator", "pkg/predict", "pkg/race"},
			tests:   []string{"pkg/lab/sim"},
			pure:    true,
		},
		{
			path:    "pkg/journal",
			does:    "keeps a durable record of guarded changes on the local disk",
			mayNot:  "how a change is made, a server or a terminal",
			imports: []string{"pkg/hosted", "pkg/resync"},
		},
		{
			path:    "pkg/termsafe",
			does:    "makes an untrusted string harmless before a terminal sees it",
			mayNot:  "what a text means or where it goes",
			modules: []string{"github.com/charmbracelet/x/ansi"},
			pure:    true,
		},
		{
			path:    "pkg/report",
			does:    "holds the documents that the program prints, their writers, and the table of exit codes",
			mayNot:  "a client, a command line or the wall clock",
			imports: []string{"pkg/hosted", "pkg/schema", "pkg/fielddiff", "pkg/operator", "pkg/predict", "pkg/race", "pkg/resync", "pkg/termsafe"},
			modules: []string{"k8s.io/apimachinery/pkg/util/duration", "k8s.io/client-go/util/jsonpath", "sigs.k8s.io/yaml"},
			pure:    true,
		},
		{
			path:   "pkg/rancher/rbac",
			does:   "holds the Kubernetes roles that the program's users need",
			mayNot: "a client, or what the rights are used for",
			pure:   true,
		},
		{
			path:    "pkg/rancher",
			does:    "reads a management cluster through its Kubernetes API, and changes single objects of it",
			mayNot:  "what the objects' contents mean, a flag or a terminal",
			imports: []string{"pkg/hosted", "pkg/rawjson"},
			tests:   []string{"pkg/manifest", "pkg/rancher/rbac", "pkg/testbed"},
			modules: []string{"k8s.io/client-go"},
		},
		{
			path:    "pkg/follow",
			does:    "keeps the snapshots of chosen clusters current while the server changes, and reports each new state",
			mayNot:  "what a state means, a flag or a terminal",
			imports: []string{"pkg/hosted", "pkg/rancher"},
			tests:   []string{"pkg/testbed"},
			modules: []string{"k8s.io/client-go"},
		},
		{
			path:    "pkg/guard",
			does:    "carries guarded changes out on a management cluster",
			mayNot:  "what makes a change safe, a flag or a terminal",
			imports: []string{"pkg/hosted", "pkg/rancher", "pkg/resync"},
			tests:   []string{"pkg/journal", "pkg/predict", "pkg/testbed", "pkg/testbed/rig"},
		},
		{
			path:    "pkg/manifest",
			does:    "reads a fleet from files",
			mayNot:  "a server, or what the objects' contents mean",
			imports: []string{"pkg/hosted", "pkg/rawjson"},
			tests:   []string{"pkg/testbed"},
			modules: []string{"sigs.k8s.io/yaml"},
		},
		{
			path:    "pkg/lab/fleet",
			does:    "invents clusters in instructive states",
			mayNot:  "an API, a client or the wall clock",
			imports: []string{"pkg/hosted", "pkg/schema"},
			tests:   []string{"pkg/fielddiff", "pkg/operator", "pkg/predict", "pkg/race"},
			pure:    true,
		},
		{
			path:    "pkg/lab",
			does:    "serves invented clusters as a management cluster would, in memory",
			mayNot:  "a provider's fields, a rule, a terminal or a client",
			imports: []string{"pkg/hosted"},
			tests:   []string{"pkg/lab/fleet", "pkg/testbed"},
			modules: []string{"gopkg.in/evanphx/json-patch.v4", "k8s.io/api", "k8s.io/apimachinery", "sigs.k8s.io/json"},
		},
		{
			path:   "pkg/lab/sim",
			does:   "is the race lab: Rancher, its operators, clouds and people in a clocked model, played through interleavings",
			mayNot: "a client, a terminal or the wall clock",
			imports: []string{
				"pkg/hosted", "pkg/schema", "pkg/operator", "pkg/operator/ack", "pkg/operator/aks", "pkg/operator/eks", "pkg/operator/gke",
				"pkg/predict", "pkg/race", "pkg/resync",
			},
			pure: true,
		},
		{
			path:    "pkg/lab/drive",
			does:    "lets the lab's Rancher and operators run in real time on an API server",
			mayNot:  "what they do, or a terminal",
			imports: []string{"pkg/hosted", "pkg/lab/sim", "pkg/lab"},
			modules: []string{"k8s.io/apimachinery", "k8s.io/client-go"},
		},
		{
			path:    "pkg/live",
			does:    "is the contract of the clouds' readers: what they are asked, what they answer, how they fail",
			mayNot:  "any cloud, its SDK, or what a reading is used for",
			imports: []string{"pkg/hosted"},
			pure:    true,
		},
		{
			path:    "plugins/eks",
			does:    "reads EKS: a cluster as it is, as Rancher sees it, and its updates",
			mayNot:  "another plugin, Rancher's objects but the snapshot it is given, or a terminal",
			imports: []string{"pkg/hosted", "pkg/live", "pkg/operator/eks"},
			tests:   []string{"pkg/loopback", "pkg/operator", "pkg/schema", "pkg/testbed", "pkg/vectors"},
			modules: []string{"github.com/aws/aws-sdk-go-v2", "github.com/aws/smithy-go"},
		},
		{
			path:    "plugins/aks",
			does:    "reads AKS: a cluster as it is, as Rancher sees it, and its history",
			mayNot:  "another plugin, Rancher's objects but the snapshot it is given, or a terminal",
			imports: []string{"pkg/hosted", "pkg/live", "pkg/operator/aks"},
			tests:   []string{"pkg/loopback", "pkg/operator", "pkg/schema", "pkg/testbed", "pkg/vectors"},
			modules: []string{"github.com/Azure/azure-sdk-for-go/sdk"},
		},
		{
			path:    "plugins/gke",
			does:    "reads GKE: a cluster as it is, as Rancher sees it, and its operations",
			mayNot:  "another plugin, Rancher's objects but the snapshot it is given, or a terminal",
			imports: []string{"pkg/hosted", "pkg/schema", "pkg/live", "pkg/operator/gke"},
			tests:   []string{"pkg/loopback/google", "pkg/operator", "pkg/vectors"},
			modules: []string{"cloud.google.com/go", "github.com/googleapis/gax-go/v2", "google.golang.org"},
		},
		{
			path:    "plugins/ack",
			does:    "reads ACK, as far as its SDK goes",
			mayNot:  "another plugin, Rancher's objects but the snapshot it is given, or a terminal",
			imports: []string{"pkg/hosted", "pkg/live", "pkg/operator/ack"},
			tests:   []string{"pkg/loopback/alibaba", "pkg/operator", "pkg/schema", "pkg/vectors"},
			modules: []string{"github.com/rancher/muchang"},
		},
		{
			path:   "pkg/app",
			does:   "is the command line, and the one place where everything is put together",
			mayNot: "the process: its streams, environment, clock and exit are handed in",
			imports: []string{
				"pkg/hosted", "pkg/schema", "pkg/fielddiff", "pkg/operator", "pkg/predict", "pkg/race",
				"pkg/await", "pkg/resync", "pkg/journal", "pkg/termsafe", "pkg/report", "pkg/rancher/rbac", "pkg/rancher", "pkg/follow",
				"pkg/guard", "pkg/manifest", "pkg/lab/fleet", "pkg/lab", "pkg/lab/sim", "pkg/lab/drive",
			},
			tests:   []string{"pkg/testbed", "pkg/testbed/rig", "pkg/vectors"},
			modules: []string{"github.com/spf13", "k8s.io/apimachinery", "k8s.io/cli-runtime", "k8s.io/client-go", "sigs.k8s.io/yaml"},
		},
		{
			path:    "cmd/kubectl-hostedsync",
			does:    "connects the process to the command line",
			mayNot:  "anything but pkg/app",
			imports: []string{"pkg/app"},
			tests: []string{
				"pkg/hosted", "pkg/schema", "pkg/operator", "pkg/operator/aks", "pkg/operator/eks", "pkg/resync", "pkg/journal", "pkg/report",
				"pkg/lab/sim", "pkg/loopback", "pkg/testbed", "pkg/testbed/rig",
			},
			modules: []string{"golang.org/x/term", "k8s.io/client-go/plugin/pkg/client/auth"},
		},
		{
			path:   "krew",
			does:   "says what a release consists of",
			mayNot: "what the plugin does, nor the rest of the project",
			tests:  []string{"pkg/testbed"},
			pure:   true,
		},
		{
			path:    "krew/dist",
			does:    "builds a release",
			mayNot:  "what the plugin does",
			imports: []string{"krew"},
		},
		{
			path:   "pkg/vectors",
			does:   "runs recorded conformance cases, for tests",
			mayNot: "what a case means",
		},
		{
			path:    "pkg/testbed",
			does:    "starts a real etcd and kube-apiserver, for tests",
			mayNot:  "the code under test",
			imports: []string{"pkg/hosted"},
			modules: []string{
				"github.com/go-logr/logr", "go.uber.org/goleak", "k8s.io/apiextensions-apiserver",
				"k8s.io/apimachinery", "k8s.io/client-go", "sigs.k8s.io/controller-runtime",
			},
		},
		{
			path:    "pkg/testbed/rig",
			does:    "gives a test a cluster that lives: the lab's Rancher and operator on a real API server",
			mayNot:  "the code under test",
			imports: []string{"pkg/hosted", "pkg/lab/drive", "pkg/lab/sim", "pkg/testbed"},
			modules: []string{"k8s.io/apimachinery", "k8s.io/client-go"},
		},
		{
			path:    "pkg/loopback",
			does:    "is EKS and Azure on loopback, for real operators and client libraries under test",
			mayNot:  "the code under test, or what an operator does",
			imports: []string{"pkg/hosted", "pkg/operator", "pkg/operator/aks", "pkg/operator/eks"},
			tests:   []string{"pkg/testbed"},
			modules: []string{"k8s.io/apimachinery", "k8s.io/client-go"},
		},
		{
			path:    "pkg/loopback/google",
			does:    "is GKE's API on loopback, for the real client library under test",
			mayNot:  "the code under test",
			modules: []string{"cloud.google.com/go/container", "google.golang.org"},
		},
		{
			path:   "pkg/loopback/alibaba",
			does:   "is ACK's API on loopback, for the real client library under test",
			mayNot: "the code under test",
		},
		{
			path:   "testdata/slowest",
			does:   "runs go test, names the slowest tests and puts the runner's closing lines last",
			mayNot: "the project",
		},
		{
			path:   "pkg/house",
			does:   "holds these rules, as tests",
			mayNot: "what any package does",
		},
	}
}

// operator is the row of one provider's operator, restated.
func operator(name, product string) folder {
	return folder{
		path:    "pkg/operator/" + name,
		does:    "restates Rancher's " + product + " operator: what it reads of the cloud, and what it pushes",
		mayNot:  "another provider, a Rancher Cluster, a clock, a client or an SDK",
		imports: []string{"pkg/hosted", "pkg/operator", "pkg/schema"},
		tests:   []string{"pkg/vectors"},
		modules: []string{"sigs.k8s.io/json"},
		pure:    true,
	}
}

// testOnly are folders that no program may contain.
func testOnly() []string {
	return []string{"pkg/vectors", "pkg/testbed", "pkg/testbed/rig", "pkg/loopback", "pkg/loopback/google", "pkg/loopback/alibaba", "pkg/house"}
}

// cloudSDKs are the prefixes of the providers' client libraries. Only a plugin,
// which reads the cloud itself, may import one: they are large, and whoever has a
// client is tempted to ask.
func cloudSDKs() []string {
	return []string{
		"github.com/aws/", "github.com/Azure/azure-sdk-for-go", "github.com/AzureAD/",
		"cloud.google.com/go", "google.golang.org/api", "google.golang.org/grpc",
		"github.com/aliyun/", "github.com/alibabacloud-go/", "github.com/rancher/muchang",
	}
}

// effects are the standard packages by which a package reaches outside itself.
func effects() []string {
	return []string{
		"crypto/rand", "flag", "log", "log/slog", "math/rand", "math/rand/v2", "net", "net/http",
		"os", "os/exec", "os/signal", "os/user", "plugin", "syscall",
	}
}

// isPlugin tells whether a folder is below plugins/.
func isPlugin(path string) bool { return strings.HasPrefix(path, "plugins/") }
