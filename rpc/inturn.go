package rpc

// inTurn lets something that is no approval ask the person in a message, when no other
// message asks. Where the client knows no such messages it is not called.
func (b *board) inTurn(ask func()) {
	b.mu.Lock()
	b.others = append(b.others, ask)
	b.mu.Unlock()
	b.nextMessage()
}

// takeOther is what asks next and is no approval, with the turn that it has.
func (b *board) takeOther() (ask func(), turn *openQuestion) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.turn != nil || b.refused || len(b.others) == 0 {
		return nil, nil
	}
	ask, b.others = b.others[0], b.others[1:]
	b.turn = &openQuestion{}
	return ask, b.turn
}
