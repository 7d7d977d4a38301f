(module
  (memory (export "memory") 1)
  ;; Dot products of one query with many rows: rows of $dims int8 at $rows, the query as $dims int16 at $query, int32 results at $out.
  ;; $dims is a multiple of 16.
  (func (export "dots") (param $query i32) (param $rows i32) (param $count i32) (param $dims i32) (param $out i32)
    (local $end i32) (local $stop i32) (local $q i32) (local $sum v128) (local $row v128)
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $each
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $q (local.get $query))
        (local.set $stop (i32.add (local.get $rows) (local.get $dims)))
        (loop $part
          (local.set $row (v128.load (local.get $rows)))
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.add
              (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $row)) (v128.load (local.get $q)))
              (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $row)) (v128.load offset=16 (local.get $q))))))
          (local.set $q (i32.add (local.get $q) (i32.const 32)))
          (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
          (br_if $part (i32.lt_u (local.get $rows) (local.get $stop))))
        (i32.store (local.get $out)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
            (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $each)))))
