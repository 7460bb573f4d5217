;; Writes to `out` the dot products of a row of `size` signed bytes with each of `count` vectors of `size` floats, which are
;; concatenated at `vectors`, and then the product of the row with itself. `floats` is a buffer for the row as floats.
;; `size` is a multiple of 8. Assembled into builtin/builtin-provider.ts.
(module
  (memory (import "host" "memory") 1 65536)
  (func $product (param $one i32) (param $other i32) (param $end i32) (result f32)
    (local $even v128) (local $odd v128)
    (loop $next
      (local.set $even
        (f32x4.add (local.get $even) (f32x4.mul (v128.load (local.get $one)) (v128.load (local.get $other)))))
      (local.set $odd
        (f32x4.add
          (local.get $odd)
          (f32x4.mul (v128.load offset=16 (local.get $one)) (v128.load offset=16 (local.get $other)))))
      (local.set $other (i32.add (local.get $other) (i32.const 32)))
      (br_if $next (i32.lt_u (local.tee $one (i32.add (local.get $one) (i32.const 32))) (local.get $end))))
    (local.set $even (f32x4.add (local.get $even) (local.get $odd)))
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $even)) (f32x4.extract_lane 1 (local.get $even)))
      (f32.add (f32x4.extract_lane 2 (local.get $even)) (f32x4.extract_lane 3 (local.get $even)))))
  (func (export "products")
    (param $row i32) (param $size i32) (param $floats i32) (param $vectors i32) (param $count i32) (param $out i32)
    (local $bytes i32) (local $end i32) (local $at i32) (local $eight v128)
    (local.set $bytes (i32.shl (local.get $size) (i32.const 2)))
    (local.set $end (i32.add (local.get $floats) (local.get $bytes)))
    (local.set $at (local.get $floats))
    (loop $convert
      (local.set $eight (v128.load8x8_s (local.get $row)))
      (v128.store (local.get $at) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $eight))))
      (v128.store offset=16 (local.get $at) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $eight))))
      (local.set $row (i32.add (local.get $row) (i32.const 8)))
      (br_if $convert (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 32))) (local.get $end))))
    (block $done
      (loop $vector
        (br_if $done (i32.eqz (local.get $count)))
        (f32.store (local.get $out) (call $product (local.get $floats) (local.get $vectors) (local.get $end)))
        (local.set $vectors (i32.add (local.get $vectors) (local.get $bytes)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $vector)))
    (f32.store (local.get $out) (call $product (local.get $floats) (local.get $floats) (local.get $end)))))
