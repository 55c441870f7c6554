! What the Fortran module promises, on a program that is no square: 'fortran CASE DATABASE'.
program check
   use, intrinsic :: iso_c_binding
   use lift
   implicit none
   integer, parameter :: nx = 40, ny = 24
   character(*), parameter :: sizes = "nx=40,ny=24"
   character(*), parameter :: text = &
      "size nx = 8, ny = 8"//new_line("a")//"param k: f32 = 0.25"//new_line("a")// &
      "stencil shift(g: [[f32]nx]ny) -> out ="//new_line("a")// &
      "  map2(w -> k * (w[0][1] + w[1][0] + 2.0 * w[1][2]), slide2(3, 1, "// &
      "pad2(1, 1, clamp, g)))"//new_line("a")//"time (g) <- (out)"//new_line("a")
   type(lift_plan) :: plan
   real(c_float), target :: g(nx, ny), out(nx, ny), state(nx, ny)
   real(c_double), target :: wide(nx, ny)
   integer(c_int16_t), target :: halves(3) = [15360_c_int16_t, -16384_c_int16_t, 1_c_int16_t]
   integer(c_int16_t), target :: doubled(3) = 0
   character(100) :: argument
   character(:), allocatable :: error
   integer :: i

   interface
      function setlocale(category, name) bind(c) result(now)
         import
         integer(c_int), value :: category
         character(c_char), intent(in) :: name(*)
         type(c_ptr) :: now
      end function
   end interface
   integer(c_int), parameter :: lc_all = 6 ! of Linux

   call expect(c_associated(setlocale(lc_all, c_null_char)), "the locale of the environment")
   call get_command_argument(1, argument)
   call random_number(g)
   select case (trim(argument))
   case ("run")
      call plan%create(program=text, sizes=sizes, types="f32")
      call expect(plan%inputs() == 1, "one input")
      call expect(plan%outputs() == 1, "one output")
      call expect(all(shape_of_input() == [nx, ny]), "the innermost length comes first")
      call expect(plan%chosen() == "default", "how it was chosen")
      call expect(len(plan%device()) > 0, "the device")
      call plan%execute([lift_array(g)], [lift_array(out)])
      call compare(out, step(g, 0.25), "a step")
      call plan%set("k", 0.5_c_double)
      call plan%execute([lift_array(g)], [lift_array(out)])
      call compare(out, step(g, 0.5), "a step with another parameter")
      call plan%set("k", 0.25_c_double)
      state = g
      call plan%advance(3, [lift_array(state)], [lift_array(out)])
      do i = 1, 3
         g = step(g, 0.25)
      end do
      call compare(state, g, "three steps")
      call compare(out, g, "what the last step computed")
      call plan%execute([lift_array(c_loc(g))], [lift_array(c_loc(out))])
      call compare(out, step(g, 0.25), "by pointers, which are the host's")
      call plan%create(program=text, sizes=sizes, precision="double")
      wide = g
      call plan%advance(1, [lift_array(wide)])
      call compare(real(wide, c_float), step(g, 0.25), "in double precision")
      call plan%create(program="size n = 3 stencil s(x: [f32]n store f16) -> y store f16 = "// &
         "map(v => v + v, x)")
      call plan%execute([lift_array(halves)], [lift_array(doubled)])
      call expect(all(doubled == [16384_c_int16_t, -15360_c_int16_t, 2_c_int16_t]), "bits of f16")
      call plan%create(program="size n = 3 stencil s(x: [bf16]n) -> y = x")
      call plan%execute([lift_array(halves)], [lift_array(doubled)])
      call expect(all(doubled == halves), "bits of bf16")
   case ("mistakes")
      call plan%create(program="nonsense", error=error)
      call refused("program:1:")
      call plan%create(program=text, device="tpu", error=error)
      call refused("tpu")
      call plan%create(program=text, database="none.db", error=error)
      call refused("none.db")
      call plan%execute([lift_array(g)], [lift_array(out)], error)
      call refused("there is no plan")
      call plan%create(program=text, sizes=sizes)
      call plan%set("q", 1.0_c_double, error)
      call refused("no parameter 'q'")
      call plan%execute([lift_array(g), lift_array(g)], [lift_array(out)], error)
      call refused("2 inputs: the plan has 1")
      call plan%execute([lift_array(wide)], [lift_array(out)], error)
      call refused("'g' is expected to be of kind c_float")
      call plan%execute([lift_array(g(:, 2:))], [lift_array(out)], error)
      call refused("'g' has 920 elements: 960 are expected")
      call plan%execute([lift_array(gapped())], [lift_array(out)], error)
      call refused("'g' has gaps")
      call plan%execute([lift_array(g)], [lift_array(c_loc(out))], error)
      call refused("some arrays are on the device")
      call plan%advance(0, [lift_array(g)], error=error)
      call refused("0 steps")
   case ("measure")
      call get_command_argument(2, argument)
      call plan%create(program=text, sizes=sizes, database=argument, effort=lift_measure)
      call expect(plan%gpts() > 0, "it was measured")
      call plan%create(program=text, sizes=sizes, database=argument)
      call expect(plan%chosen() == "exact", "and is known")
   case default
      call plan%create(program=text, sizes=sizes)
      call plan%advance(0, [lift_array(g)])
   end select
   call plan%destroy()

contains

   function shape_of_input() result(lengths)
      type(lift_shape) :: shape
      integer(c_int64_t) :: lengths(2)

      shape = plan%input(1)
      call expect(shape%name == "g" .and. shape%type == lift_f32, "name and type")
      lengths = shape%lengths
   end function

   function gapped() result(part)
      real(c_float), pointer :: part(:, :)
      real(c_float), pointer :: large(:, :)

      allocate (large(nx + 1, ny))
      part => large(2:, :)
   end function

   function step(a, k) result(b)
      real(c_float), intent(in) :: a(nx, ny)
      real, intent(in) :: k
      real(c_float) :: b(nx, ny)
      integer :: x, y

      do y = 1, ny
         do x = 1, nx
            b(x, y) = k*(a(x, max(y - 1, 1)) + a(max(x - 1, 1), y) + 2*a(min(x + 1, nx), y))
         end do
      end do
   end function

   subroutine compare(got, want, what)
      real(c_float), intent(in) :: got(:, :), want(:, :)
      character(*), intent(in) :: what

      call expect(maxval(abs(got - want)) < 1e-5, what)
   end subroutine

   subroutine expect(good, what)
      logical, intent(in) :: good
      character(*), intent(in) :: what

      if (.not. good) error stop "not so: "//what
   end subroutine

   subroutine refused(words)
      character(*), intent(in) :: words

      if (.not. allocated(error)) error stop "not refused: "//words
      if (index(error, words) == 0) error stop "no '"//words//"' in: "//error
      deallocate (error)
   end subroutine

end program
