package history

import "errors"

// How a long log is read: so many events are handed over at a time, and so many
// such batches may wait.
const (
	longLogBytes = 1 << 20
	batchEvents  = 256
	mostBatches  = 8
)

// placed is an event and where its line begins.
type placed struct {
	event Event
	at    int64
}

// scanAhead is scan from the beginning, with the reading and decoding done beside
// each: to decode a long log is as much work as to fold it. It returns when nothing
// is read any more.
func (l *Log) scanAhead(before int64, each func(Event, int64) error) error {
	batches, enough := make(chan []placed, mostBatches), make(chan struct{})
	var broken error // of the reader; read when batches is closed
	go func() {
		defer close(batches)
		batch := make([]placed, 0, batchEvents)
		broken = l.scan(1, before, func(e Event, at int64) error {
			if batch = append(batch, placed{e, at}); len(batch) < batchEvents {
				return nil
			}
			select {
			case batches <- batch:
			case <-enough:
				return ErrStop
			}
			batch = make([]placed, 0, batchEvents)
			return nil
		})
		select {
		case batches <- batch:
		case <-enough:
		}
	}()
	var failed error
	number := int64(0)
	for batch := range batches {
		for _, p := range batch {
			if failed != nil {
				break
			}
			number++
			if err := each(p.event, p.at); err != nil {
				failed = l.badLine(number, err)
				close(enough)
			}
		}
	}
	return errors.Join(failed, broken)
}
