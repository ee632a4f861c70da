//go:build !linux && !darwin

package store

import "errors"

func diskFree(string) (int64, error) { return 0, errors.ErrUnsupported }
