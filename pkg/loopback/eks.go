package loopback

import (
	"cmp"
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
	"github.com/hostedsync/kubectl-hostedsync/pkg/operator"
)

// account owns everything that is created here.
const account = "123456789012"

// updatePage is how many updates one answer of ListUpdates has.
const updatePage = 3

// rest is AWS's JSON protocol.
var rest = dialect{
	reply: func(status int, body any) answer { return answer{status: status, body: body} },
	fail: func(f failure) answer {
		return answer{f.status, map[string]string{"X-Amzn-ErrorType": f.code}, map[string]any{"message": f.message}}
	},
}

func notFound(message string) *failure {
	return &failure{http.StatusNotFound, "ResourceNotFoundException", message}
}

func inUse(message string) *failure {
	return &failure{http.StatusConflict, "ResourceInUseException", message}
}

// eksRoute is an operation of EKS: its method, the elements of its path with *
// for a variable one, and the members that those are in the request's input.
type eksRoute struct {
	method, path string
	members      []string
	op           string
	// read answers an operation that changes nothing, write one that does.
	read  func(s *Server, r request, in map[string]any) (any, *failure)
	write func(s *Server, r request, in map[string]any) (any, *failure)
}

// eksRoutes are the operations that are served.
func eksRoutes() []eksRoute {
	return []eksRoute{
		{"GET", "clusters/*", []string{"name"}, "DescribeCluster", (*Server).describeCluster, nil},
		{"GET", "clusters/*/node-groups", []string{"clusterName"}, "ListNodegroups", (*Server).listNodegroups, nil},
		{"GET", "clusters/*/node-groups/*", []string{"clusterName", "nodegroupName"}, "DescribeNodegroup", (*Server).describeNodegroup, nil},
		{"GET", "clusters/*/updates", []string{"name"}, "ListUpdates", (*Server).listUpdates, nil},
		{"GET", "clusters/*/updates/*", []string{"name", "updateId"}, "DescribeUpdate", (*Server).describeUpdate, nil},
		{"GET", "clusters/*/addons/*", []string{"clusterName", "addonName"}, "DescribeAddon", (*Server).describeAddon, nil},
		{"POST", "clusters/*/update-config", []string{"name"}, "UpdateClusterConfig", nil, (*Server).updateClusterConfig},
		{"POST", "clusters/*/updates", []string{"name"}, "UpdateClusterVersion", nil, (*Server).updateClusterVersion},
		{"POST", "clusters/*/node-groups", []string{"clusterName"}, "CreateNodegroup", nil, (*Server).createNodegroup},
		{"DELETE", "clusters/*/node-groups/*", []string{"clusterName", "nodegroupName"}, "DeleteNodegroup", nil, (*Server).deleteNodegroup},
		{"POST", "clusters/*/node-groups/*/update-config", []string{"clusterName", "nodegroupName"}, "UpdateNodegroupConfig", nil, (*Server).updateNodegroupConfig},
		{"POST", "clusters/*/node-groups/*/update-version", []string{"clusterName", "nodegroupName"}, "UpdateNodegroupVersion", nil, (*Server).updateNodegroupVersion},
		{"POST", "tags/*", []string{"resourceArn"}, "TagResource", nil, (*Server).tagResource},
		{"DELETE", "tags/*", []string{"resourceArn"}, "UntagResource", nil, (*Server).untagResource},
	}
}

func (s *Server) serveEKS(r request) answer {
	for _, route := range eksRoutes() {
		values, ok := match(route.path, r.path)
		if !ok || route.method != r.method {
			continue
		}
		in := hosted.CloneMap(r.object)
		delete(in, "clientRequestToken") // random
		for i, m := range route.members {
			in[m] = values[i]
		}
		defer s.asked(func(name EKSName, state *eksState) bool {
			return name.Region == regionOf(r.host) && state.concerns(name, values[0])
		})()
		if route.read != nil {
			return s.asAWS(rest, "eks", route.op, func() answer {
				return s.read(rest, route.op, "", func() (any, *failure) { return route.read(s, r, in) })
			})
		}
		if keys := r.query["tagKeys"]; keys != nil {
			in["tagKeys"] = sortedList(keys) // they come in random order
		}
		c := operator.Call{Service: "eks", Op: route.op, Input: in, Effect: effectOf(route.op)}
		return s.asAWS(rest, "eks", route.op, func() answer {
			return s.write(rest, c, func() (int, any, *failure) {
				body, f := route.write(s, r, in)
				if f == nil {
					s.audit(r, route.op, in, body)
				}
				return http.StatusOK, body, f
			})
		})
	}
	return s.unknown(r, rest)
}

// concerns tells whether a cluster is the one of a name, or has something with an
// ARN.
func (e *eksState) concerns(name EKSName, what string) bool {
	return what == name.Name || strings.HasSuffix(what, ":cluster/"+name.Name) || strings.Contains(what, ":nodegroup/"+name.Name+"/")
}

func effectOf(op string) operator.Effect {
	switch {
	case strings.HasSuffix(op, "CreateNodegroup"):
		return operator.Create
	case strings.HasSuffix(op, "DeleteNodegroup"), strings.HasSuffix(op, "BeginDelete"):
		return operator.Delete
	}
	return operator.Update
}

// match compares a path with a pattern and returns what stands for each *.
func match(pattern string, path []string) (values []string, ok bool) {
	want := strings.Split(pattern, "/")
	if len(want) != len(path) {
		return nil, false
	}
	for i, w := range want {
		switch {
		case w == "*":
			values = append(values, path[i])
		case !strings.EqualFold(w, path[i]):
			return nil, false
		}
	}
	return values, true
}

func sortedList(texts []string) []any {
	var out []any
	for _, t := range slices.Sorted(slices.Values(texts)) {
		out = append(out, t)
	}
	return out
}

// cluster is the cluster itself, or an error if there is none of that name.
func (s *Server) cluster(name any) (map[string]any, *failure) {
	c := hosted.Map(s.eks.Cluster["cluster"])
	if c == nil || c["name"] != nil && c["name"] != name {
		return nil, notFound("No cluster found for name: " + hosted.Str(name) + ".")
	}
	return c, nil
}

// group is a node group itself, or an error if there is none of that name.
func (s *Server) group(in map[string]any) (map[string]any, *failure) {
	if _, f := s.cluster(in["clusterName"]); f != nil {
		return nil, f
	}
	name := hosted.Str(in["nodegroupName"])
	ng := hosted.Map(s.eks.Nodegroups[name]["nodegroup"])
	if ng == nil {
		return nil, notFound("No node group found for name: " + name + ".")
	}
	return ng, nil
}

func (s *Server) describeCluster(_ request, in map[string]any) (any, *failure) {
	if _, f := s.cluster(in["name"]); f != nil {
		return nil, f
	}
	return s.late(s.eks.Cluster, "cluster"), nil
}

// listNodegroups answers page by page: the pages are part of the state.
func (s *Server) listNodegroups(r request, in map[string]any) (any, *failure) {
	if _, f := s.cluster(in["clusterName"]); f != nil {
		return nil, f
	}
	page, err := strconv.Atoi(cmp.Or(r.query.Get("nextToken"), "0"))
	if err != nil || page < 0 || page >= len(s.eks.ListNodegroups) {
		return nil, &failure{http.StatusBadRequest, "InvalidParameterException", "invalid nextToken"}
	}
	names := []any{}
	for _, n := range s.eks.ListNodegroups[page] {
		names = append(names, n)
	}
	body := map[string]any{"nodegroups": names}
	if page+1 < len(s.eks.ListNodegroups) {
		body["nextToken"] = strconv.Itoa(page + 1)
	}
	return body, nil
}

func (s *Server) describeNodegroup(_ request, in map[string]any) (any, *failure) {
	body, ok := s.eks.Nodegroups[hosted.Str(in["nodegroupName"])]
	if _, f := s.group(in); f != nil && !ok { // a body may lack the node group
		return nil, f
	}
	return s.late(body, "nodegroup"), nil
}

func (s *Server) describeAddon(_ request, in map[string]any) (any, *failure) {
	if _, f := s.cluster(in["clusterName"]); f != nil {
		return nil, f
	}
	name := hosted.Str(in["addonName"])
	body, ok := s.eks.Addons[name]
	if !ok {
		return nil, notFound("No addon: " + name + " found in cluster: " + hosted.Str(in["clusterName"]))
	}
	return body, nil
}

// listUpdates lists the cluster's own updates or, if asked, a node group's or an
// add-on's.
func (s *Server) listUpdates(r request, in map[string]any) (any, *failure) {
	if _, f := s.cluster(in["name"]); f != nil {
		return nil, f
	}
	updates := s.updatesOf(r.query.Get("nodegroupName"), r.query.Get("addonName"))
	if s.mixed {
		slices.SortFunc(updates, func(a, b map[string]any) int { return cmp.Compare(mix(a), mix(b)) })
	}
	from, err := strconv.Atoi(cmp.Or(r.query.Get("nextToken"), "0"))
	if err != nil || from < 0 || from > len(updates) {
		return nil, &failure{http.StatusBadRequest, "InvalidParameterException", "invalid nextToken"}
	}
	to := min(from+updatePage, len(updates))
	ids := []any{}
	for _, u := range updates[from:to] {
		ids = append(ids, u["id"])
	}
	body := map[string]any{"updateIds": ids}
	if to < len(updates) {
		body["nextToken"] = strconv.Itoa(to)
	}
	return body, nil
}

// mix puts updates into an order that says nothing.
func mix(update map[string]any) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(hosted.Str(update["id"])))
	return h.Sum32()
}

func (s *Server) describeUpdate(r request, in map[string]any) (any, *failure) {
	if _, f := s.cluster(in["name"]); f != nil {
		return nil, f
	}
	for _, u := range s.updatesOf(r.query.Get("nodegroupName"), r.query.Get("addonName")) {
		if u["id"] == in["updateId"] {
			return map[string]any{"update": u}, nil
		}
	}
	return nil, notFound("No update found for ID: " + hosted.Str(in["updateId"]))
}
