;; Writes to `out` the Hamming distance (16 bits each) of each of `count` codes to the one at `query`. A code has `blocks`
;; blocks of 16 bytes; codes are concatenated, beginning at `forms`. Assembled into binary-quantization.ts.
(module
  (memory (import "host" "memory") 1 65536)
  (func (export "distances")
    (param $forms i32) (param $count i32) (param $blocks i32) (param $query i32) (param $out i32)
    (local $end i32) (local $at i32) (local $left i32) (local $sum v128)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 1))))
    (block $done
      (loop $form
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $query))
        (local.set $left (local.get $blocks))
        (loop $block
          (local.set $sum
            (i16x8.add
              (local.get $sum)
              (i16x8.extadd_pairwise_i8x16_u
                (i8x16.popcnt (v128.xor (v128.load (local.get $forms)) (v128.load (local.get $at)))))))
          (local.set $forms (i32.add (local.get $forms) (i32.const 16)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $block (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
        (local.set $sum (i32x4.extadd_pairwise_i16x8_u (local.get $sum)))
        (i32.store16
          (local.get $out)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
            (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $out (i32.add (local.get $out) (i32.const 2)))
        (br $form)))))
