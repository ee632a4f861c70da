//go:build unix

package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	osuser "os/user"
	"strconv"
	"syscall"
)

// servant returns whose the server is: PostgreSQL refuses to run as root.
func servant() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}

	for _, name := range []string{user, "nobody"} {
		u, err := osuser.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}

	return nil, fmt.Errorf("no user %s to run PostgreSQL: run make install", user)
}

// unprivileged lets cmd run as the servant.
func unprivileged(cmd *exec.Cmd) error {
	credential, err := servant()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	return err
}

// own gives dir to the servant.
func own(dir string) error {
	credential, err := servant()
	if err != nil || credential == nil {
		return err
	}
	return os.Chown(dir, int(credential.Uid), int(credential.Gid))
}
