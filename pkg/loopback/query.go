package loopback

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hostedsync/kubectl-hostedsync/pkg/hosted"
)

// listNames are the query protocol's singular names of lists, as the SDK's
// members are called.
var listNames = map[string]string{
	"BlockDeviceMapping": "blockDeviceMappings", "TagSpecification": "tagSpecifications", "Tag": "tags",
	"LaunchTemplateVersion": "versions", "LaunchTemplateName": "launchTemplateNames", "ImageId": "imageIds",
	"LaunchTemplateId": "launchTemplateIds",
}

// setNames are the names that EC2's answers give to lists.
var setNames = map[string]string{"blockDeviceMappings": "blockDeviceMappingSet", "tagSpecifications": "tagSpecificationSet", "tags": "tagSet"}

// numbers are the members that are integers.
var numbers = []string{"volumeSize"}

// queryInput turns a form such as A.B.1.C=x into {"a": {"b": [{"c": "x"}]}}, with
// the SDK's member names.
func queryInput(form url.Values) map[string]any {
	root := map[string]any{}
	for _, name := range hosted.SortedKeys(form) {
		if name == "Action" || name == "Version" || name == "ClientToken" {
			continue
		}
		at := root
		parts := strings.Split(name, ".")
		for _, p := range parts[:len(parts)-1] {
			at = member(at, p)
		}
		at[parts[len(parts)-1]] = form.Get(name)
	}
	return hosted.Map(memberNames("", root))
}

// memberNames renames a tree of parameters; objects with numbers for keys become
// lists.
func memberNames(name string, v any) any {
	m := hosted.Map(v)
	if m == nil {
		if n, err := strconv.ParseInt(hosted.Str(v), 10, 64); err == nil && slices.Contains(numbers, name) {
			return n
		}
		return v
	}
	out := map[string]any{}
	for k, e := range m {
		key := lowerFirst(k)
		if isList(e) {
			if plural, ok := listNames[k]; ok {
				key = plural
			}
			out[key] = listOf(hosted.Map(e))
			continue
		}
		out[key] = memberNames(key, e)
	}
	return out
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	r := []rune(s)
	r[0] = unicode.ToLower(r[0])
	return string(r)
}

func isList(v any) bool {
	m := hosted.Map(v)
	_, ok := m["1"]
	return ok
}

func listOf(m map[string]any) []any {
	var out []any
	for i := 1; ; i++ {
		e, ok := m[strconv.Itoa(i)]
		if !ok {
			return out
		}
		out = append(out, memberNames("", e))
	}
}

// ec2XML is EC2's protocol for one action.
func ec2XML(action string) dialect {
	return dialect{
		reply: func(status int, body any) answer {
			var b strings.Builder
			writeXML(&b, action+"Response", body)
			return answer{status, map[string]string{"Content-Type": "text/xml"}, b.String()}
		},
		fail: func(f failure) answer {
			var b strings.Builder
			writeXML(&b, "Response", map[string]any{"Errors": map[string]any{"Error": map[string]any{"Code": f.code, "Message": f.message}}, "RequestID": "loopback"})
			return answer{f.status, map[string]string{"Content-Type": "text/xml"}, b.String()}
		},
	}
}

// writeXML writes a generic value the way EC2 does: list elements are items.
func writeXML(b *strings.Builder, name string, v any) {
	if set, ok := setNames[name]; ok {
		name = set
	}
	b.WriteString("<" + name + ">")
	switch t := v.(type) {
	case map[string]any:
		for _, k := range hosted.SortedKeys(t) {
			writeXML(b, k, t[k])
		}
	case []any:
		for _, e := range t {
			writeXML(b, "item", e)
		}
	case nil:
	default:
		_ = xml.EscapeText(b, fmt.Append(nil, t))
	}
	b.WriteString("</" + name + ">")
}

// serveSTS says who is calling.
func (s *Server) serveSTS(r request) answer {
	form, err := url.ParseQuery(string(r.body))
	if err != nil || form.Get("Action") != "GetCallerIdentity" {
		return s.unknown(r, ec2XML(""))
	}
	d := ec2XML("GetCallerIdentity")
	return s.read(d, "GetCallerIdentity", "", func() (any, *failure) {
		return map[string]any{"GetCallerIdentityResult": map[string]any{
			"Account": account, "Arn": "arn:aws:iam::" + account + ":user/loopback", "UserId": "loopback"}}, nil
	})
}
