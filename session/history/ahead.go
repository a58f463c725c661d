package history

import "errors"

// How a long log is read: so many events are handed over at a time, and so many
// such batches may wait.
const (
	longLogBytes = 1 << 20
	batchEvents  = 256
	mostBatches  = 8
)

// decodeAhead is decodeEach with the reading and decoding done beside each: to
// decode a long log is as much work as to fold it. It returns when nothing is read
// any more.
func (l *Log) decodeAhead(from int64, decode decoder, each func(Event) error) error {
	batches, enough := make(chan []Event, mostBatches), make(chan struct{})
	var broken error // of the reader; read when batches is closed
	go func() {
		defer close(batches)
		batch := make([]Event, 0, batchEvents)
		broken = l.decodeEach(from, decode, func(e Event) error {
			if batch = append(batch, e); len(batch) < batchEvents {
				return nil
			}
			select {
			case batches <- batch:
			case <-enough:
				return ErrStop
			}
			batch = make([]Event, 0, batchEvents)
			return nil
		})
		select {
		case batches <- batch:
		case <-enough:
		}
	}()
	var failed error
	number := from - 1
	for batch := range batches {
		for _, e := range batch {
			if failed != nil {
				break
			}
			number++
			if err := each(e); err != nil {
				failed = l.badLine(number, err)
				close(enough)
			}
		}
	}
	return errors.Join(failed, broken)
}
