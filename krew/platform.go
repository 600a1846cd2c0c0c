package krew

// Platform is a system that a release is built for, in Go's names.
type Platform struct {
	OS, Arch string
}

// Platforms lists all of them. Each is selected by its own pair of system and
// processor, so that no two overlap.
func Platforms() []Platform {
	var all []Platform
	for _, os := range []string{"darwin", "linux", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			all = append(all, Platform{os, arch})
		}
	}
	return all
}

// String is the platform's name as in go tool dist list, linux/amd64.
func (p Platform) String() string { return p.OS + "/" + p.Arch }

// Archive is the file name of the platform's archive. It bears no version: a
// release's address does already, and a name that stays can be linked to.
func (p Platform) Archive() string {
	name := plugin + "_" + p.OS + "_" + p.Arch
	if p.windows() {
		return name + ".zip"
	}
	return name + ".tar.gz"
}

// Binary is the program's file name. krew demands the extension on Windows.
func (p Platform) Binary() string {
	if p.windows() {
		return plugin + ".exe"
	}
	return plugin
}

func (p Platform) windows() bool { return p.OS == "windows" }
