package main

import "flag"

// thorough makes the tests of crashes die every death there is, and the long session
// as long as it can be (make check does).
var thorough = flag.Bool("thorough", false, "die at every step in every way, and 200 times at random")
