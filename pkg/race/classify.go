package race

import "strings"

// ErrorClass sorts the error texts of operators, handlers and refresher.
type ErrorClass struct {
	// Name is stable.
	Name string `json:"name"`
	// Title says what it is, Hint what to do.
	Title string `json:"title"`
	Hint  string `json:"hint"`
	// Transient errors go away by themselves.
	Transient bool `json:"transient"`
}

// catalogued is an error text and its class. All parts must occur, in any case.
type catalogued struct {
	parts []string
	class ErrorClass
}

var (
	classConflict = ErrorClass{"conflict", "two writers met at the Kubernetes API", "nothing: it is tried again", true}
	classBusy     = ErrorClass{"cloud-busy", "the cloud is busy with another change", "wait until the cloud's own change is done", true}
	classPerm     = ErrorClass{"permission", "the cloud refuses a permission", "give the cloud credential the missing permission", false}
	classCred     = ErrorClass{"credential", "the cloud credential is missing or refused", "repair or replace the cloud credential", false}
	classSkew     = ErrorClass{"version-skew", "the versions in the Config do not go together", "align the versions of cluster and node groups in the Config with the cloud", false}
	classDown     = ErrorClass{"downgrade", "the Config asks for an older version than the cloud has", "set the version in the Config to the cloud's", false}
	classInvalid  = ErrorClass{"invalid-config", "the Config asks for something that is not allowed", "correct the Config", false}
	classUnknown  = ErrorClass{"other", "an error that is not in the catalogue", "read the message", false}
)

// catalogue returns the known texts, the more specific before the general ones.
func catalogue() []catalogued {
	missingTemplate := ErrorClass{"launch-template-missing", "the launch template that Rancher made is gone", "recreate the node group, or make the node groups unmanaged", false}
	recreate := ErrorClass{"node-group-broken", "a node group is broken beyond repair", "delete the node group and create it again", false}
	health := ErrorClass{"node-group-health", "a node group is not healthy", "repair the node group in the cloud", false}
	syncFailed := ErrorClass{"cloud-unreadable", "Rancher cannot read the cloud", "check the cloud credential and whether the cluster still exists", false}
	failedState := ErrorClass{"cloud-failed-state", "the cloud reports the cluster as failed", "repair the cluster in the cloud; nothing is pushed before", false}
	zones := ErrorClass{"immutable", "the Config changes what cannot be changed", "set the field in the Config back to the cloud's value", false}
	system := ErrorClass{"last-system-pool", "the last System pool would be removed", "keep a pool with mode System in the Config", false}
	emptyUpdate := ErrorClass{"empty-update", "an update without content is sent, and refused", "copy the cloud's locations into the Config", false}
	waiting := ErrorClass{"not-ready", "something that comes first is not ready", "wait; if it stays, look at the operator's deployment and charts", true}
	agent := ErrorClass{"unreachable", "Rancher does not reach the cluster", "check the cluster agent and the API endpoint", false}
	clock := ErrorClass{"broken-annotation", "the refresh annotation is no time", "remove the annotation", false}
	quota := ErrorClass{"quota", "a quota or capacity is exhausted", "raise the quota, or ask for less", false}
	return []catalogued{
		{[]string{"the object has been modified"}, classConflict},
		{[]string{"currently has update"}, classBusy},
		{[]string{"ResourceInUse"}, classBusy},
		{[]string{"Please wait and try again once it is done"}, classBusy},
		{[]string{"rancher-managed launch template", "not found"}, missingTemplate},
		{[]string{"launch template", "not found"}, missingTemplate},
		{[]string{"cannot be updated, must be deleted and recreated"}, recreate},
		{[]string{"health error for node group"}, health},
		{[]string{"versions for cluster", "are not compatible"}, classSkew},
		{[]string{"invalid version format"}, classSkew},
		{[]string{"upstream version", "is higher than spec version"}, classDown},
		{[]string{"Unsupported Kubernetes minor version update"}, classDown},
		{[]string{"update failed for cluster", "status: Failed"}, failedState},
		{[]string{"changing availability zones", "is not permitted"}, zones},
		{[]string{"cannot remove node pool", "with mode System"}, system},
		{[]string{"min and max node count must be nil"}, classInvalid},
		{[]string{"is not unique within the cluster"}, classInvalid},
		{[]string{"Must specify a field to update"}, emptyUpdate},
		{[]string{"unable to parse last KEv2 refresh time"}, clock},
		{[]string{"crd to be initialized"}, waiting},
		{[]string{"waiting for cluster agent to be deployed"}, agent},
		{[]string{"failed to communicate with cluster"}, agent},
		{[]string{"cannot access", "check cloud credential"}, classCred},
		{[]string{"AccessDenied"}, classPerm}, {[]string{"is not authorized to perform"}, classPerm},
		{[]string{"AuthorizationFailed"}, classPerm}, {[]string{"does not have authorization"}, classPerm},
		{[]string{"PERMISSION_DENIED"}, classPerm}, {[]string{"Forbidden.RAM"}, classPerm},
		{[]string{"UnrecognizedClient"}, classCred}, {[]string{"security token", "invalid"}, classCred},
		{[]string{"ExpiredToken"}, classCred}, {[]string{"invalid_client"}, classCred}, {[]string{"AADSTS"}, classCred},
		{[]string{"invalid_grant"}, classCred}, {[]string{"InvalidAccessKeyId"}, classCred},
		{[]string{"secrets", "not found"}, classCred}, {[]string{"secret", "not found"}, classCred},
		{[]string{"quota"}, quota}, {[]string{"LimitExceeded"}, quota}, {[]string{"InsufficientInstanceCapacity"}, quota},
		{[]string{syncingError + ": syncing failed]"}, syncFailed},
		{[]string{"403"}, classPerm},
	}
}

// Classify finds the class of an error text.
func Classify(text string) ErrorClass {
	low := strings.ToLower(text)
next:
	for _, c := range catalogue() {
		for _, p := range c.parts {
			if !strings.Contains(low, strings.ToLower(p)) {
				continue next
			}
		}
		return c.class
	}
	return classUnknown
}

// refused tells whether the class is about access to the cloud.
func (c ErrorClass) refused() bool { return c.Name == classPerm.Name || c.Name == classCred.Name }
