package control

// combinations is how many patterns a glob with braces stands for: the product
// over the groups that follow one another of the sum over their alternatives.
// It stops counting beyond maxCombinations.
func combinations(glob string) int {
	n, _ := countCombinations(glob, 0, false)
	return n
}

// countCombinations counts from i up to the end of the group that it is in,
// or of the glob, and returns where it stopped.
func countCombinations(glob string, i int, inGroup bool) (n, end int) {
	sum, product := 0, 1
	for ; i < len(glob); i++ {
		switch c := glob[i]; {
		case c == '\\':
			i++
		case c == '{':
			inner, after := countCombinations(glob, i+1, true)
			product, i = min(product*inner, maxCombinations+1), after
		case c == ',' && inGroup:
			sum, product = min(sum+product, maxCombinations+1), 1
		case c == '}' && inGroup:
			return min(sum+product, maxCombinations+1), i
		}
	}
	return min(sum+product, maxCombinations+1), i
}

const maxCombinations = 1000
