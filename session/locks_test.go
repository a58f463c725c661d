package session

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

func TestPathLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLocks()
		ctx := context.Background()
		first, err := l.take(ctx, []string{"b", "a", "a"})
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		var mu sync.Mutex
		var all sync.WaitGroup
		for _, paths := range [][]string{{"a", "c"}, {"c", "a"}, {"c"}} { // in every order: no deadlock
			all.Go(func() {
				release, err := l.take(ctx, paths)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, strings.Join(paths, ""))
				mu.Unlock()
				release()
			})
		}
		synctest.Wait()
		mu.Lock()
		if len(order) > 1 || len(order) == 1 && order[0] != "c" {
			t.Errorf("taken while held: %v", order)
		}
		mu.Unlock()
		late, cancel := context.WithCancelCause(ctx)
		refused := make(chan error, 1)
		go func() { _, err := l.take(late, []string{"0", "a"}); refused <- err }()
		synctest.Wait()
		cancel(errors.New("enough"))
		if err := <-refused; err == nil || err.Error() != "enough" {
			t.Error(err)
		}
		first()
		all.Wait()
		if len(l.held) != 0 {
			t.Errorf("left: %v", l.held)
		}
		if _, err := l.take(late, nil); err == nil {
			t.Error("a cancelled call takes locks")
		}
	})
}
