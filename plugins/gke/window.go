package gke

import (
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/container/apiv1/containerpb"
)

// window tells the maintenance window. A Config can only say when a daily one
// starts (HH:MM, UTC). Google has two more kinds, which Rancher does not see: one
// that recurs daily is written like a daily one, any other with its rule behind
// the time, which no Config can say.
func window(t map[string]any, from map[string]string, w *containerpb.MaintenanceWindow) {
	const at = "GetCluster: maintenancePolicy.window."
	switch p := w.GetPolicy().(type) {
	case *containerpb.MaintenanceWindow_RecurringWindow:
		from["maintenanceWindow"] = at + "recurringWindow"
		first := p.RecurringWindow.GetWindow()
		start := first.GetStartTime().AsTime()
		t["maintenanceWindow"] = recurring(start.Format("15:04"), first.GetEndTime().AsTime().Sub(start), p.RecurringWindow.GetRecurrence())
	case *containerpb.MaintenanceWindow_RecurringMaintenanceWindow:
		from["maintenanceWindow"] = at + "recurringMaintenanceWindow"
		m := p.RecurringMaintenanceWindow
		start := m.GetWindowStartTime()
		t["maintenanceWindow"] = recurring(fmt.Sprintf("%02d:%02d", start.GetHours(), start.GetMinutes()),
			m.GetWindowDuration().AsDuration(), m.GetRecurrence())
	}
}

func recurring(start string, length time.Duration, rule string) string {
	if strings.TrimPrefix(rule, "RRULE:") == "FREQ=DAILY" {
		return start
	}
	return fmt.Sprintf("%s for %s, %s", start, length, rule)
}
