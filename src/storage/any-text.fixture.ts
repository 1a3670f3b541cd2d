// Generates any text, including lone surrogates and control characters.

import fc from 'fast-check'

// `unit: 'binary'` of fast-check takes seconds to set up, so it is not used here.
export function anyText(maxLength = 20): fc.Arbitrary<string> {
  const unit = fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0x7f }))
  return fc.array(unit, { maxLength }).map((units) => String.fromCharCode(...units))
}
