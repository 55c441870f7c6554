! lift in Fortran 2018: plans of stencils, run on arrays where they are. docs/use-a-kernel.md has
! examples; what is said of plans in lift/plan.h holds here, too.
!
! Arrays of the program [[[f32]nx]ny]nz are real(c_float) :: u(nx, ny, nz): the first index is the
! innermost. They have the attribute target, and no gaps.
!
! Each call takes 'error', which is allocated, with the reason, if the call failed. Without it, a
! call that fails ends the program with the reason.
module lift
   use, intrinsic :: iso_c_binding
   implicit none
   private

   integer(c_int), parameter, public :: lift_estimate = 0, lift_measure = 1, lift_patient = 2
   integer(c_int), parameter, public :: lift_f32 = 0, lift_f64 = 1, lift_i32 = 2, lift_bool = 3
   integer(c_int), parameter, public :: lift_f16 = 4, lift_bf16 = 5

   ! One array of a call: lift_array(u) of an array, or lift_array(pointer) of a c_ptr to memory of
   ! the plan's device, of which nothing is checked.
   type, public :: lift_array
      private
      type(c_ptr) :: memory = c_null_ptr
      integer(c_int) :: type = -1
      integer(c_int64_t) :: count = -1
      logical :: contiguous = .true., remote = .false.
   end type

   interface lift_array
      module procedure array_of_f32, array_of_f64, array_of_i32, array_of_bool, array_of_bits, array_of_device
   end interface

   ! What a plan expects of an array: its name, its type, and its lengths, the innermost first.
   type, public :: lift_shape
      character(:), allocatable :: name
      integer(c_int) :: type = -1
      integer(c_int64_t), allocatable :: lengths(:)
   end type

   ! It is not copied, and is released by 'destroy'.
   type, public :: lift_plan
      private
      type(c_ptr) :: handle = c_null_ptr
   contains
      procedure, public :: create, destroy, execute, advance, set, inputs, outputs, input, output
      procedure, public :: iterates, chosen, why, device, gpts
   end type

   ! ---- as C has them

   type, bind(c) :: lift_str
      type(c_ptr) :: data = c_null_ptr
      integer(c_size_t) :: length = 0, capacity = 0
   end type

   type, bind(c) :: lift_error
      integer(c_int) :: code = 0
      type(lift_str) :: text
      type(c_ptr) :: file = c_null_ptr
      integer(c_int) :: line = 0, column = 0
      integer(c_size_t) :: span(2) = 0
      type(c_ptr) :: excerpt = c_null_ptr, next = c_null_ptr
      type(lift_str) :: shown
   end type

   type, bind(c) :: planner_options
      type(c_ptr) :: database = c_null_ptr
      logical(c_bool) :: create = .false._c_bool
      type(c_ptr) :: rules = c_null_ptr
      integer(c_int) :: rule_count = 0
   end type

   type, bind(c) :: plan_options
      type(c_ptr) :: program = c_null_ptr, file = c_null_ptr, precision = c_null_ptr
      type(c_ptr) :: sizes = c_null_ptr, types = c_null_ptr, device = c_null_ptr
      integer(c_int) :: effort = lift_estimate
      real(c_double) :: seconds = 0
      integer(c_int) :: steps = 0
      type(c_ptr) :: stream = c_null_ptr
   end type

   type, bind(c) :: plan_array
      type(c_ptr) :: name = c_null_ptr
      integer(c_int) :: type = 0, dims = 0
      integer(c_int64_t) :: length(8) = 0, count = 0
      integer(c_size_t) :: bytes = 0
   end type

   type, bind(c) :: plan_facts
      type(c_ptr) :: program = c_null_ptr, sizes = c_null_ptr, device = c_null_ptr
      type(c_ptr) :: chosen = c_null_ptr, why = c_null_ptr
      logical(c_bool) :: measured = .false._c_bool
      real(c_double) :: gpts = 0
   end type

   interface
      function planner_create(options, size, error) bind(c, name="lift_planner_create_sized") &
         result(planner)
         import
         type(planner_options), intent(in) :: options
         integer(c_size_t), value :: size
         type(lift_error), intent(inout) :: error
         type(c_ptr) :: planner
      end function
      function text_of_error(error) bind(c, name="lift_error_text") result(text)
         import
         type(lift_error), intent(inout) :: error
         type(c_ptr) :: text
      end function
      subroutine error_fini(error) bind(c, name="lift_error_fini")
         import
         type(lift_error), intent(inout) :: error
      end subroutine
      subroutine planner_destroy(planner) bind(c, name="lift_planner_destroy")
         import
         type(c_ptr), value :: planner
      end subroutine
      function plan_create(planner, options, size, error) bind(c, name="lift_plan_create_sized") &
         result(plan)
         import
         type(c_ptr), value :: planner
         type(plan_options), intent(in) :: options
         integer(c_size_t), value :: size
         type(lift_error), intent(inout) :: error
         type(c_ptr) :: plan
      end function
      subroutine plan_destroy(plan) bind(c, name="lift_plan_destroy")
         import
         type(c_ptr), value :: plan
      end subroutine
      function plan_inputs(plan) bind(c, name="lift_plan_inputs") result(count)
         import
         type(c_ptr), value :: plan
         integer(c_int) :: count
      end function
      function plan_outputs(plan) bind(c, name="lift_plan_outputs") result(count)
         import
         type(c_ptr), value :: plan
         integer(c_int) :: count
      end function
      function plan_input(plan, index, array) bind(c, name="lift_plan_input") result(good)
         import
         type(c_ptr), value :: plan
         integer(c_int), value :: index
         type(plan_array), intent(inout) :: array
         logical(c_bool) :: good
      end function
      function plan_output(plan, index, array) bind(c, name="lift_plan_output") result(good)
         import
         type(c_ptr), value :: plan
         integer(c_int), value :: index
         type(plan_array), intent(inout) :: array
         logical(c_bool) :: good
      end function
      function plan_set(plan, name, value, error) bind(c, name="lift_plan_set_param") result(good)
         import
         type(c_ptr), value :: plan
         character(c_char), intent(in) :: name(*)
         real(c_double), value :: value
         type(lift_error), intent(inout) :: error
         logical(c_bool) :: good
      end function
      function plan_execute(plan, inputs, outputs, error) bind(c, name="lift_plan_execute") &
         result(good)
         import
         type(c_ptr), value :: plan
         type(c_ptr), intent(in) :: inputs(*), outputs(*)
         type(lift_error), intent(inout) :: error
         logical(c_bool) :: good
      end function
      function plan_execute_device(plan, inputs, outputs, error) &
         bind(c, name="lift_plan_execute_on_device") result(good)
         import
         type(c_ptr), value :: plan
         type(c_ptr), intent(in) :: inputs(*), outputs(*)
         type(lift_error), intent(inout) :: error
         logical(c_bool) :: good
      end function
      function plan_advance(plan, arrays, outputs, steps, error) &
         bind(c, name="lift_plan_advance") result(good)
         import
         type(c_ptr), value :: plan
         type(c_ptr), intent(in) :: arrays(*), outputs(*)
         integer(c_int64_t), value :: steps
         type(lift_error), intent(inout) :: error
         logical(c_bool) :: good
      end function
      function plan_advance_device(plan, arrays, outputs, steps, error) &
         bind(c, name="lift_plan_advance_on_device") result(good)
         import
         type(c_ptr), value :: plan
         type(c_ptr), intent(in) :: arrays(*), outputs(*)
         integer(c_int64_t), value :: steps
         type(lift_error), intent(inout) :: error
         logical(c_bool) :: good
      end function
      function plan_iterates(plan) bind(c, name="lift_plan_iterates") result(answer)
         import
         type(c_ptr), value :: plan
         logical(c_bool) :: answer
      end function
      function facts_of(plan) bind(c, name="lift_plan_facts") result(facts)
         import
         type(c_ptr), value :: plan
         type(c_ptr) :: facts
      end function
      function length_of(text) bind(c, name="strlen") result(length)
         import
         type(c_ptr), value :: text
         integer(c_size_t) :: length
      end function
   end interface

contains

   ! What calls end with is not one subroutine for all: gfortran 12 loses the length of an optional
   ! text that is handed on.

   ! ---- making a plan

   ! For the program in 'file', or the text 'program'. The others are those of struct
   ! lift_plan_options; a database that is absent is made by a plan that measures, else refused.
   subroutine create(plan, file, program, sizes, device, database, precision, types, effort, &
                     seconds, steps, stream, error)
      class(lift_plan), intent(inout) :: plan
      character(*), intent(in), optional :: file, program, sizes, device, database, precision, types
      integer(c_int), intent(in), optional :: effort
      real(c_double), intent(in), optional :: seconds
      integer, intent(in), optional :: steps
      type(c_ptr), intent(in), optional :: stream
      character(:), allocatable, intent(out), optional :: error
      character(c_char), allocatable, target :: text(:, :)
      type(plan_options) :: options
      type(planner_options) :: where
      character(:), allocatable :: wrong
      integer :: at

      call plan%destroy()
      allocate (text(longest(), 7))
      at = 0
      call put(file, options%file)
      call put(program, options%program)
      call put(sizes, options%sizes)
      call put(device, options%device)
      call put(precision, options%precision)
      call put(types, options%types)
      call put(database, where%database)
      if (present(effort)) options%effort = effort
      where%create = options%effort /= lift_estimate
      if (present(seconds)) options%seconds = seconds
      if (present(steps)) options%steps = steps
      if (present(stream)) options%stream = stream
      wrong = reason_not_made(plan, where, options)
      if (len(wrong) == 0) return
      if (.not. present(error)) error stop "lift: "//wrong
      error = wrong

   contains

      integer function longest()
         longest = 1
         if (present(file)) longest = max(longest, len(file) + 1)
         if (present(program)) longest = max(longest, len(program) + 1)
         if (present(sizes)) longest = max(longest, len(sizes) + 1)
         if (present(device)) longest = max(longest, len(device) + 1)
         if (present(precision)) longest = max(longest, len(precision) + 1)
         if (present(types)) longest = max(longest, len(types) + 1)
         if (present(database)) longest = max(longest, len(database) + 1)
      end function

      subroutine put(given, address)
         character(*), intent(in), optional :: given
         type(c_ptr), intent(inout) :: address
         integer :: i

         at = at + 1
         if (.not. present(given)) return
         text(:, at) = c_null_char
         do i = 1, len_trim(given)
            text(i, at) = given(i:i)
         end do
         address = c_loc(text(1, at))
      end subroutine

   end subroutine

   ! Empty: it is made.
   function reason_not_made(plan, where, options) result(text)
      class(lift_plan), intent(inout) :: plan
      type(planner_options), intent(in) :: where
      type(plan_options), intent(in) :: options
      character(:), allocatable :: text
      type(c_ptr) :: planner
      type(lift_error) :: why

      planner = planner_create(where, c_sizeof(where), why)
      if (c_associated(planner)) then
         plan%handle = plan_create(planner, options, c_sizeof(options), why)
         call planner_destroy(planner)
      end if
      text = ""
      if (.not. c_associated(plan%handle)) text = error_text(why)
   end function

   subroutine destroy(plan)
      class(lift_plan), intent(inout) :: plan

      call plan_destroy(plan%handle)
      plan%handle = c_null_ptr
   end subroutine

   ! ---- arrays

   function array_of_f32(data) result(array)
      real(c_float), target, intent(in) :: data(..)
      type(lift_array) :: array

      array = of_host(c_loc(data), lift_f32, size(data, kind=c_int64_t), is_contiguous(data))
   end function

   function array_of_f64(data) result(array)
      real(c_double), target, intent(in) :: data(..)
      type(lift_array) :: array

      array = of_host(c_loc(data), lift_f64, size(data, kind=c_int64_t), is_contiguous(data))
   end function

   function array_of_i32(data) result(array)
      integer(c_int32_t), target, intent(in) :: data(..)
      type(lift_array) :: array

      array = of_host(c_loc(data), lift_i32, size(data, kind=c_int64_t), is_contiguous(data))
   end function

   function array_of_bool(data) result(array)
      logical(c_bool), target, intent(in) :: data(..)
      type(lift_array) :: array

      array = of_host(c_loc(data), lift_bool, size(data, kind=c_int64_t), is_contiguous(data))
   end function

   ! The bits of f16 or bf16, whichever the plan expects.
   function array_of_bits(data) result(array)
      integer(c_int16_t), target, intent(in) :: data(..)
      type(lift_array) :: array

      array = of_host(c_loc(data), lift_f16, size(data, kind=c_int64_t), is_contiguous(data))
   end function

   function of_host(memory, type, count, contiguous) result(array)
      type(c_ptr), intent(in) :: memory
      integer(c_int), intent(in) :: type
      integer(c_int64_t), intent(in) :: count
      logical, intent(in) :: contiguous
      type(lift_array) :: array

      array%memory = memory
      array%type = type
      array%count = count
      array%contiguous = contiguous
   end function

   function array_of_device(memory) result(array)
      type(c_ptr), intent(in) :: memory
      type(lift_array) :: array

      array%memory = memory
      array%remote = .true.
   end function

   ! ---- running it

   ! One step: reads the inputs, writes the outputs, in the order of the program.
   subroutine execute(plan, inputs, outputs, error)
      class(lift_plan), intent(in) :: plan
      type(lift_array), intent(in) :: inputs(:), outputs(:)
      character(:), allocatable, intent(out), optional :: error
      character(:), allocatable :: wrong
      type(lift_error) :: why
      logical :: good

      wrong = mistake(plan, inputs, outputs)
      if (len(wrong) > 0) then
         good = .false.
      else if (any(inputs%remote)) then
         good = plan_execute_device(plan%handle, inputs%memory, outputs%memory, why)
      else
         good = plan_execute(plan%handle, inputs%memory, outputs%memory, why)
      end if
      if (.not. good .and. len(wrong) == 0) wrong = error_text(why)
      if (len(wrong) == 0) return
      if (.not. present(error)) error stop "lift: "//wrong
      error = wrong
   end subroutine

   ! So many steps of the time loop. The arrays are the inputs: they hold the state before the
   ! first step, and afterwards that before step 'steps' + 1. 'outputs' receive what the last step
   ! computed.
   subroutine advance(plan, steps, arrays, outputs, error)
      class(lift_plan), intent(in) :: plan
      integer, intent(in) :: steps
      type(lift_array), intent(in) :: arrays(:)
      type(lift_array), intent(in), optional :: outputs(:)
      character(:), allocatable, intent(out), optional :: error
      character(:), allocatable :: wrong
      type(lift_array), allocatable :: written(:)
      type(lift_error) :: why
      logical :: good

      allocate (written(plan%outputs()))
      if (present(outputs)) written = outputs
      wrong = mistake(plan, arrays, written)
      if (len(wrong) > 0) then
         good = .false.
      else if (any(arrays%remote)) then
         good = plan_advance_device(plan%handle, arrays%memory, written%memory, &
                                    int(steps, c_int64_t), why)
      else
         good = plan_advance(plan%handle, arrays%memory, written%memory, int(steps, c_int64_t), why)
      end if
      if (.not. good .and. len(wrong) == 0) wrong = error_text(why)
      if (len(wrong) == 0) return
      if (.not. present(error)) error stop "lift: "//wrong
      error = wrong
   end subroutine

   ! A scalar parameter of the program, which has its default until then.
   subroutine set(plan, name, value, error)
      class(lift_plan), intent(in) :: plan
      character(*), intent(in) :: name
      real(c_double), intent(in) :: value
      character(:), allocatable, intent(out), optional :: error
      character(:), allocatable :: wrong
      type(lift_error) :: why

      wrong = ""
      if (.not. plan_set(plan%handle, trim(name)//c_null_char, value, why)) wrong = error_text(why)
      if (len(wrong) == 0) return
      if (.not. present(error)) error stop "lift: "//wrong
      error = wrong
   end subroutine

   ! What is wrong with the arrays of a call; empty: nothing that can be seen here.
   function mistake(plan, inputs, outputs) result(text)
      class(lift_plan), intent(in) :: plan
      type(lift_array), intent(in) :: inputs(:), outputs(:)
      character(:), allocatable :: text
      integer :: i

      if (.not. c_associated(plan%handle)) then
         text = "there is no plan: create one first"
         return
      end if
      text = wrong_number("input", size(inputs), plan%inputs())
      if (len(text) == 0) text = wrong_number("output", size(outputs), plan%outputs())
      if (len(text) == 0 .and. any([inputs%remote, outputs%remote]) .and. &
          (any(inputs%type >= 0) .or. any(outputs%type >= 0))) &
         text = "some arrays are on the device, and others are not"
      do i = 1, size(inputs)
         if (len(text) == 0) text = wrong_array(inputs(i), plan%input(i))
      end do
      do i = 1, size(outputs)
         if (len(text) == 0) text = wrong_array(outputs(i), plan%output(i))
      end do
   end function

   function wrong_number(what, given, wanted) result(text)
      character(*), intent(in) :: what
      integer, intent(in) :: given, wanted
      character(:), allocatable :: text

      text = ""
      if (given /= wanted) text = number(int(given, c_int64_t))//" "//what//"s: the plan has "// &
         number(int(wanted, c_int64_t))
   end function

   function wrong_array(array, wanted) result(text)
      type(lift_array), intent(in) :: array
      type(lift_shape), intent(in) :: wanted
      character(*), parameter :: names(0:5) = [character(9) :: "c_float", "c_double", &
                                               "c_int32_t", "c_bool", &
                                               "c_int16_t", "c_int16_t"]
      character(:), allocatable :: text

      text = ""
      if (array%type < 0) return
      if (array%type /= merge(lift_f16, wanted%type, wanted%type == lift_bf16)) then
         text = "array '"//wanted%name//"' is expected to be of kind "//trim(names(wanted%type))
      else if (array%count /= product(wanted%lengths)) then
         text = "array '"//wanted%name//"' has "//number(array%count)//" elements: "// &
            number(product(wanted%lengths))//" are expected"
      else if (.not. array%contiguous) then
         text = "array '"//wanted%name//"' has gaps"
      end if
   end function

   ! ---- what a plan is

   integer function inputs(plan)
      class(lift_plan), intent(in) :: plan

      inputs = plan_inputs(plan%handle)
   end function

   integer function outputs(plan)
      class(lift_plan), intent(in) :: plan

      outputs = plan_outputs(plan%handle)
   end function

   ! The first one is 1. Of one that is not there, the type is -1.
   function input(plan, index) result(shape)
      class(lift_plan), intent(in) :: plan
      integer, intent(in) :: index
      type(lift_shape) :: shape
      type(plan_array) :: array

      if (plan_input(plan%handle, index - 1, array)) shape = shape_of(array)
   end function

   function output(plan, index) result(shape)
      class(lift_plan), intent(in) :: plan
      integer, intent(in) :: index
      type(lift_shape) :: shape
      type(plan_array) :: array

      if (plan_output(plan%handle, index - 1, array)) shape = shape_of(array)
   end function

   function shape_of(array) result(shape)
      type(plan_array), intent(in) :: array
      type(lift_shape) :: shape

      shape%name = text_of(array%name)
      shape%type = array%type
      allocate (shape%lengths(array%dims))
      shape%lengths = array%length(array%dims:1:-1)
   end function

   logical function iterates(plan)
      class(lift_plan), intent(in) :: plan

      iterates = plan_iterates(plan%handle)
   end function

   ! Empty texts of a plan that was not created.
   function known(plan) result(facts)
      class(lift_plan), intent(in) :: plan
      type(plan_facts) :: facts
      type(plan_facts), pointer :: there

      if (.not. c_associated(plan%handle)) return
      call c_f_pointer(facts_of(plan%handle), there)
      facts = there
   end function

   ! "exact", "nearest size", "same architecture", "default", and the same in words.
   function chosen(plan) result(text)
      class(lift_plan), intent(in) :: plan
      character(:), allocatable :: text
      type(plan_facts) :: facts

      facts = known(plan)
      text = text_of(facts%chosen)
   end function

   function why(plan) result(text)
      class(lift_plan), intent(in) :: plan
      character(:), allocatable :: text
      type(plan_facts) :: facts

      facts = known(plan)
      text = text_of(facts%why)
   end function

   function device(plan) result(text)
      class(lift_plan), intent(in) :: plan
      character(:), allocatable :: text
      type(plan_facts) :: facts

      facts = known(plan)
      text = text_of(facts%device)
   end function

   ! 10^9 points of the grid a second, measured by this plan or before; 0: unknown.
   real(c_double) function gpts(plan)
      class(lift_plan), intent(in) :: plan
      type(plan_facts) :: facts

      facts = known(plan)
      gpts = facts%gpts
   end function

   ! ---- texts

   ! Releases the error.
   function error_text(error) result(text)
      type(lift_error), intent(inout) :: error
      character(:), allocatable :: text

      text = text_of(text_of_error(error))
      call error_fini(error)
   end function

   function text_of(address) result(text)
      type(c_ptr), intent(in) :: address
      character(:), allocatable :: text
      character(c_char), pointer :: letters(:)
      integer :: i

      text = ""
      if (.not. c_associated(address)) return
      call c_f_pointer(address, letters, [length_of(address)])
      text = repeat(" ", size(letters))
      do i = 1, size(letters)
         text(i:i) = letters(i)
      end do
   end function

   function number(value) result(text)
      integer(c_int64_t), intent(in) :: value
      character(:), allocatable :: text
      character(20) :: digits

      write (digits, "(i0)") value
      text = trim(digits)
   end function

end module
