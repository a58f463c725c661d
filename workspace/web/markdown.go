package web

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// converters make Markdown. Nothing is escaped: a model reads it, and the look for
// what would need it takes minutes on some pages.
var converters = sync.OnceValue(func() *converter.Converter {
	return converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin(
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorNone), table.WithHeaderPromotion(true), table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
		)),
	)
})

// markdown converts a page that was cleaned.
func markdown(ctx context.Context, doc *html.Node) (text string, err error) {
	defer func() {
		if r := recover(); r != nil { // a library, and a page that strangers wrote
			err = fmt.Errorf("the page cannot be made Markdown; format text or html gives it: %v", r)
		}
	}()
	out, err := converters().ConvertNode(doc, converter.WithContext(ctx))
	if err != nil {
		return "", errors.New("the page cannot be made Markdown; format text or html gives it")
	}
	return string(out), nil
}
