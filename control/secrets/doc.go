// Package secrets knows secrets by their form. It is told a text and says where
// they are in it; it looks up nothing, keeps nothing and knows no session. What
// is done about them is for those who ask.
package secrets
