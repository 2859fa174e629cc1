;; The product of a matrix in eight bits with several vectors, for `kernel.js`, in WebAssembly's text format.
;;
;; A v128 holds four numbers in float32, which are computed at once. Four rows of the matrix are read together, eight
;; numbers of each at a time, so that what is loaded of a vector serves four rows. Nothing is left over at an edge:
;; - A vector is followed by zeros up to a multiple of eight. Past the end of a row the next row is read, times zero.
;; - The results of a vector take a multiple of four places. Those past the last row mean nothing, and are not used.
;; So up to three rows and seven bytes past the end of a matrix are read, and must lie in the memory.
(module
  (import "page" "memory" (memory 1))

  ;; y = scales * (values x), for `count` vectors. All but the last three parameters are addresses, counted in bytes.
  (func (export "product")
    (param $values i32) (param $scales i32) (param $x i32) (param $y i32)
    (param $rows i32) (param $columns i32) (param $count i32)
    (local $two_rows i32) (local $three_rows i32) ;; how many bytes of the matrix they have
    (local $height i32) ;; bytes from the results of a vector to those of the next
    (local $vectors i32) ;; how many are left
    (local $w i32) (local $at i32) (local $end i32) (local $to i32)
    (local $x0 v128) (local $x1 v128) (local $eight v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) ;; of each row four sums, of every fourth product
    (local.set $two_rows (i32.mul (local.get $columns) (i32.const 2)))
    (local.set $three_rows (i32.mul (local.get $columns) (i32.const 3)))
    (local.set $height (i32.mul (i32.and (i32.add (local.get $rows) (i32.const 3)) (i32.const -4)) (i32.const 4)))
    (loop $four_rows
      (local.set $at (local.get $x))
      (local.set $to (local.get $y))
      (local.set $vectors (local.get $count))
      (loop $vector
        (local.set $w (local.get $values))
        (local.set $end (i32.add (local.get $at) (i32.mul (local.get $columns) (i32.const 4))))
        (local.set $a (v128.const f32x4 0 0 0 0))
        (local.set $b (local.get $a))
        (local.set $c (local.get $a))
        (local.set $d (local.get $a))
        (loop $eight_columns
          (local.set $x0 (v128.load (local.get $at)))
          (local.set $x1 (v128.load offset=16 (local.get $at)))
          ;; Eight weights are made 16 bits wide, four of them 32 bits wide, and then numbers in float32.
          (local.set $eight (v128.load8x8_s (local.get $w)))
          (local.set $a (f32x4.add (local.get $a) (f32x4.add
            (f32x4.mul (local.get $x0) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $eight))))
            (f32x4.mul (local.get $x1) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $eight)))))))
          (local.set $eight (v128.load8x8_s (i32.add (local.get $w) (local.get $columns))))
          (local.set $b (f32x4.add (local.get $b) (f32x4.add
            (f32x4.mul (local.get $x0) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $eight))))
            (f32x4.mul (local.get $x1) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $eight)))))))
          (local.set $eight (v128.load8x8_s (i32.add (local.get $w) (local.get $two_rows))))
          (local.set $c (f32x4.add (local.get $c) (f32x4.add
            (f32x4.mul (local.get $x0) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $eight))))
            (f32x4.mul (local.get $x1) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $eight)))))))
          (local.set $eight (v128.load8x8_s (i32.add (local.get $w) (local.get $three_rows))))
          (local.set $d (f32x4.add (local.get $d) (f32x4.add
            (f32x4.mul (local.get $x0) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $eight))))
            (f32x4.mul (local.get $x1) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $eight)))))))
          (local.set $w (i32.add (local.get $w) (i32.const 8)))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (br_if $eight_columns (i32.lt_u (local.get $at) (local.get $end))))
        (v128.store (local.get $to) (f32x4.mul
          (v128.load (local.get $scales))
          (call $sums (local.get $a) (local.get $b) (local.get $c) (local.get $d))))
        (local.set $to (i32.add (local.get $to) (local.get $height)))
        (local.set $vectors (i32.sub (local.get $vectors) (i32.const 1)))
        (br_if $vector (local.get $vectors)))
      (local.set $values (i32.add (local.get $values) (i32.mul (local.get $columns) (i32.const 4))))
      (local.set $scales (i32.add (local.get $scales) (i32.const 16)))
      (local.set $y (i32.add (local.get $y) (i32.const 16)))
      (local.set $rows (i32.sub (local.get $rows) (i32.const 4)))
      (br_if $four_rows (i32.gt_s (local.get $rows) (i32.const 0)))))

  ;; The sum of a's four numbers, of b's, of c's and of d's. A shuffle takes bytes: 0 to 15 of the first, 16 to 31 of
  ;; the second.
  (func $sums (param $a v128) (param $b v128) (param $c v128) (param $d v128) (result v128)
    (local $ab v128) (local $cd v128)
    ;; a0 + a2, b0 + b2, a1 + a3, b1 + b3
    (local.set $ab (f32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $a) (local.get $b))
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $a) (local.get $b))))
    (local.set $cd (f32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $c) (local.get $d))
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $c) (local.get $d))))
    (f32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $ab) (local.get $cd))
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $ab) (local.get $cd)))))
