/*      Compiler: ECL 21.2.1                                          */
/*      Date: 2026/11/27 03:26 (yyyy/mm/dd)                           */
/*      Machine: Linux 6.18.44-fc-v782 x86_64                         */
/*      Source: lisp/report.lisp                                      */
#include <ecl/ecl-cmp.h>
#include "lisp/report.eclh"
/*      function definition for MAKE-CHAINS                           */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L1make_chains(cl_object v1callers, cl_object v2functions, cl_object v3names)
{
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  if (ECL_NIL==ECL_NIL) { goto L1; }
  if ((cl_simple_vector_p(ECL_NIL))!=ECL_NIL) { goto L1; }
  ecl_function_dispatch(cl_env_copy,VV[93])(4, ECL_NIL, VV[4], VV[1], VV[5]) /*  STRUCTURE-TYPE-ERROR */;
L1:;
  if ((cl_simple_vector_p(v3names))!=ECL_NIL) { goto L4; }
  ecl_function_dispatch(cl_env_copy,VV[93])(4, v3names, ECL_SYM("SIMPLE-VECTOR",776), VV[1], VV[6]) /*  STRUCTURE-TYPE-ERROR */;
L4:;
  if ((cl_typep(2, v2functions, VV[0]))!=ECL_NIL) { goto L6; }
  ecl_function_dispatch(cl_env_copy,VV[93])(4, v2functions, VV[0], VV[1], VV[7]) /*  STRUCTURE-TYPE-ERROR */;
L6:;
  if ((cl_typep(2, v1callers, VV[0]))!=ECL_NIL) { goto L8; }
  ecl_function_dispatch(cl_env_copy,VV[93])(4, v1callers, VV[0], VV[1], VV[8]) /*  STRUCTURE-TYPE-ERROR */;
L8:;
  value0 = si_make_structure(5, VV[9], v1callers, v2functions, v3names, ECL_NIL);
  return value0;
 }
}
/*      local function LAMBDA4                                        */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC2__lambda4(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[1]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(3), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[1]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(3));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA8                                        */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC3__lambda8(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[1]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(2), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[1]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(2));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA12                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC4__lambda12(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[1]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(1), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[1]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(1));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA16                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC5__lambda16(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[1]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(0), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[1]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(0));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      function definition for LISTS-OF                              */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L6lists_of(cl_object v1chains)
{
 cl_object T0, T1;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  value0 = ecl_function_dispatch(cl_env_copy,VV[10])(1, v1chains) /*  %CHAINS-LISTS */;
  if ((value0)!=ECL_NIL) { goto L2; }
  {
   cl_object v2;
   T0 = ecl_function_dispatch(cl_env_copy,VV[14])(1, v1chains) /*  %CHAINS-CALLERS */;
   {
    cl_fixnum v3;
    v3 = ecl_length(T0);
    T1 = si_make_pure_array(ECL_T, ecl_make_fixnum(v3), ECL_NIL, ECL_NIL, ECL_NIL, ecl_make_fixnum(0));
    v2 = si_fill_array_with_elt(T1, ECL_NIL, ecl_make_fixnum(0), ECL_NIL);
   }
   value0 = ecl_structure_set(v1chains,VV[1],3,v2);
   cl_env_copy->nvalues = 1;
   return value0;
  }
L2:;
  cl_env_copy->nvalues = 1;
  return value0;
 }
}
/*      function definition for NAME-OF-STEP                          */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L7name_of_step(cl_object v1chains, cl_object v2step)
{
 cl_object T0, T1, T2;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  T0 = ecl_function_dispatch(cl_env_copy,VV[12])(1, v1chains) /*  %CHAINS-NAMES */;
  {
   cl_object v3;
   v3 = ecl_function_dispatch(cl_env_copy,VV[13])(1, v1chains) /*  %CHAINS-FUNCTIONS */;
   T2 = v3;
   {
    cl_fixnum v4;
    {
     cl_object v5;
     v5 = v2step;
     if (ecl_unlikely((ecl_fixnum(v5))>=(v3)->vector.dim))
           FEwrong_index(ECL_NIL,v3,-1,ecl_make_fixnum(ecl_fixnum(v5)),(v3)->vector.dim);
     value0 = ECL_NIL;
     cl_env_copy->nvalues = 0;
     v4 = ecl_fixnum(v5);
    }
    T1 = ecl_aref_unsafe(T2,v4);
   }
  }
  value0 = ecl_aref1(T0,ecl_to_size(T1));
  cl_env_copy->nvalues = 1;
  return value0;
 }
}
/*      function definition for NAMES-FROM                            */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L8names_from(cl_object v1chains, cl_object v2step)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   cl_object v5steps;
   v3 = ecl_function_dispatch(cl_env_copy,VV[14])(1, v1chains) /*  %CHAINS-CALLERS */;
   v4 = L6lists_of(v1chains);
   v5steps = ECL_NIL;
L5:;
   if (ecl_zerop(v2step)) { goto L9; }
   if (Null(ecl_aref1(v4,ecl_to_size(v2step)))) { goto L7; }
   goto L8;
L9:;
L8:;
   goto L6;
L7:;
   v5steps = CONS(v2step,v5steps);
   {
    cl_object v6;
    v6 = v3;
    T0 = v6;
    {
     cl_fixnum v7;
     {
      cl_object v8;
      v8 = v2step;
      if (ecl_unlikely((ecl_fixnum(v8))>=(v6)->vector.dim))
           FEwrong_index(ECL_NIL,v6,-1,ecl_make_fixnum(ecl_fixnum(v8)),(v6)->vector.dim);
      value0 = ECL_NIL;
      cl_env_copy->nvalues = 0;
      v7 = ecl_fixnum(v8);
     }
     v2step = ecl_aref_unsafe(T0,v7);
    }
   }
   goto L5;
L6:;
   {
    cl_object v6names;
    if (!(ecl_plusp(v2step))) { goto L23; }
    v6names = ecl_aref1(v4,ecl_to_size(v2step));
    goto L21;
L23:;
    v6names = ECL_NIL;
    goto L21;
L21:;
    {
     cl_object v7;
     v7 = v5steps;
     goto L28;
L27:;
     {
      cl_object v8step;
      v8step = ecl_car(v7);
      T0 = L7name_of_step(v1chains, v8step);
      v6names = CONS(T0,v6names);
      ecl_aset1(v4,ecl_to_size(v8step),v6names);
     }
     v7 = ecl_cdr(v7);
L28:;
     if (Null(v7)) { goto L37; }
     goto L27;
L37:;
     value0 = v6names;
     cl_env_copy->nvalues = 1;
     return value0;
    }
   }
  }
 }
}
/*      function definition for SOME-NAMES-FROM                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L9some_names_from(cl_object v1chains, cl_object v2step, cl_object v3most)
{
 cl_object T0, T1;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v4;
   {
    cl_object v5;
    v5 = v3most;
    T0 = cl_realp(v5);
    if (ecl_unlikely(!((T0)!=ECL_NIL)))
         FEwrong_type_argument(ECL_SYM("REAL",705),v5);
    value0 = ECL_NIL;
    cl_env_copy->nvalues = 0;
    v4 = v5;
   }
   {
    cl_object v5;
    cl_object v6;
    v5 = ecl_list1(ECL_NIL);
    v6 = v5;
L6:;
    v4 = ecl_minus(v4,ecl_make_fixnum(1));
    T0 = v4;
    if (!(ecl_minusp(T0))) { goto L8; }
    goto L7;
L8:;
    if (!(ecl_zerop(v2step))) { goto L12; }
    goto L7;
L12:;
    {
     cl_object v7;
     v7 = v6;
     if (ecl_unlikely(ECL_ATOM(v7))) FEtype_error_cons(v7);
     value0 = ECL_NIL;
     cl_env_copy->nvalues = 0;
     T0 = v7;
    }
    T1 = L7name_of_step(v1chains, v2step);
    v6 = ecl_list1(T1);
    (ECL_CONS_CDR(T0)=v6,T0);
    {
     cl_object v7;
     v7 = ecl_function_dispatch(cl_env_copy,VV[14])(1, v1chains) /*  %CHAINS-CALLERS */;
     T0 = v7;
     {
      cl_fixnum v8;
      {
       cl_object v9;
       v9 = v2step;
       if (ecl_unlikely((ecl_fixnum(v9))>=(v7)->vector.dim))
           FEwrong_index(ECL_NIL,v7,-1,ecl_make_fixnum(ecl_fixnum(v9)),(v7)->vector.dim);
       value0 = ECL_NIL;
       cl_env_copy->nvalues = 0;
       v8 = ecl_fixnum(v9);
      }
      v2step = ecl_aref_unsafe(T0,v8);
     }
    }
    goto L6;
L7:;
    value0 = ecl_cdr(v5);
    cl_env_copy->nvalues = 1;
    return value0;
   }
  }
 }
}
/*      function definition for MAKE-SITE                             */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L10make_site(cl_narg narg, cl_object v1chains, cl_object v2step, cl_object v3type, cl_object v4base_type, cl_object v5category, cl_object v6objects, cl_object v7bytes, cl_object v8requested_bytes, cl_object v9kept_objects, cl_object v10kept_bytes, cl_object v11collected_objects, cl_object v12collected_bytes, ...)
{
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 if (ecl_unlikely(narg<12)) FEwrong_num_arguments_anonym();
 {
  cl_object v13survived;
  ecl_va_list args; ecl_va_start(args,v12collected_bytes,narg,12);
  v13survived = cl_grab_rest_args(args);
  ecl_va_end(args);
  value0 = si_make_structure(14, VV[22], v1chains, v2step, v3type, v4base_type, v5category, v6objects, v7bytes, v8requested_bytes, v9kept_objects, v10kept_bytes, v11collected_objects, v12collected_bytes, v13survived);
  return value0;
 }
}
/*      local function LAMBDA40                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC11__lambda40(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(12), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(12));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA44                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC12__lambda44(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(11), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(11));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA48                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC13__lambda48(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(10), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(10));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA52                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC14__lambda52(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(9), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(9));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA56                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC15__lambda56(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(8), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(8));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA60                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC16__lambda60(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(7), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(7));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA64                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC17__lambda64(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(6), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(6));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA68                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC18__lambda68(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(5), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(5));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA72                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC19__lambda72(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(4), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(4));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA76                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC20__lambda76(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(3), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(3));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA80                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC21__lambda80(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(2), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(2));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA84                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC22__lambda84(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(1), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(1));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      local function LAMBDA88                                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC23__lambda88(cl_object v1, cl_object v2si__x)
{
 cl_object T0, T1, T2, T3;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4;
   v3 = cl_gensym(0);
   v4 = cl_gensym(0);
   T0 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T1 = cl_list(6, ECL_SYM("COMPARE-AND-SWAP-STRUCTURE",1514), v2si__x, T0, ecl_make_fixnum(0), v3, v4);
   T2 = cl_list(2, ECL_SYM("QUOTE",681), VV[19]);
   T3 = cl_list(4, ECL_SYM("STRUCTURE-REF",1169), v2si__x, T2, ecl_make_fixnum(0));
   cl_env_copy->nvalues = 6;
   cl_env_copy->values[5] = T3;
   cl_env_copy->values[4] = T1;
   cl_env_copy->values[3] = v4;
   cl_env_copy->values[2] = v3;
   cl_env_copy->values[1] = ECL_NIL;
   cl_env_copy->values[0] = ECL_NIL;
   return cl_env_copy->values[0];
  }
 }
}
/*      function definition for CHECK-SITE                            */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L24check_site(cl_object v1site)
{
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  if ((si_of_class_p(2, v1site, VV[19]))!=ECL_NIL) { goto L1; }
  ecl_function_dispatch(cl_env_copy,VV[101])(4, VV[37], v1site, VV[19], VV[38]) /*  REFUSE-ARGUMENT */;
L1:;
  value0 = v1site;
  cl_env_copy->nvalues = 1;
  return value0;
 }
}
/*      local function PRINT-OBJECT                                   */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC26print_object(cl_object v1site, cl_object v2stream)
{
 cl_object env0 = ECL_NIL;
 cl_object CLV0, CLV1;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
  env0 = ECL_NIL;
  CLV0 = env0 = CONS(v1site,env0);                /*  SITE            */
  CLV1 = env0 = CONS(v2stream,env0);              /*  STREAM          */
  {
   cl_object v3;
   v3 = ecl_make_cclosure_va((cl_objectfn)LC25si___print_unreadable_object_body_,env0,Cblock,0);
   value0 = si_print_unreadable_object_function(ECL_CONS_CAR(CLV0), ECL_CONS_CAR(CLV1), ECL_T, ECL_NIL, v3);
   return value0;
  }
 }
}
/*      closure .PRINT-UNREADABLE-OBJECT-BODY.                        */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC25si___print_unreadable_object_body_(cl_narg narg, ...)
{
 cl_object T0, T1, T2, T3, T4, T5;
 cl_object CLV0, CLV1;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object env0 = cl_env_copy->function->cclosure.env;
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 /* Scanning closure data ... */
 CLV1 = env0;                                     /*  STREAM          */
 CLV0 = _ecl_cdr(CLV1);
 { /* ... closure scanning finished */
 if (ecl_unlikely(narg!=0)) FEwrong_num_arguments_anonym();
 {
TTL:
  T0 = ecl_function_dispatch(cl_env_copy,VV[30])(1, ECL_CONS_CAR(CLV0)) /*  %SITE-OBJECTS */;
  T1 = ecl_function_dispatch(cl_env_copy,VV[33])(1, ECL_CONS_CAR(CLV0)) /*  %SITE-TYPE */;
  T2 = ecl_function_dispatch(cl_env_copy,VV[29])(1, ECL_CONS_CAR(CLV0)) /*  %SITE-BYTES */;
  T3 = L30site_functions(2, ECL_CONS_CAR(CLV0), ecl_make_fixnum(3));
  T4 = L30site_functions(2, ECL_CONS_CAR(CLV0), ecl_make_fixnum(4));
  T5 = ecl_cdddr(T4);
  value0 = cl_format(7, ECL_CONS_CAR(CLV1), VV[39], T0, T1, T2, T3, T5);
  return value0;
 }
 }
}
/*      local function DESCRIBE-OBJECT                                */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC27describe_object(cl_object v1site, cl_object v2stream)
{
 cl_object T0, T1, T2, T3, T4, T5, T6, T7, T8, T9;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  T0 = L30site_functions(2, v1site, ecl_make_fixnum(20));
  T1 = L31site_type(v1site);
  T2 = L34site_objects(v1site);
  T3 = L35site_bytes(v1site);
  T4 = L37site_kept_objects(v1site);
  T5 = L38site_kept_bytes(v1site);
  T6 = L39site_collected_objects(v1site);
  T7 = L40site_collected_bytes(v1site);
  T8 = L41site_survived(v1site);
  T9 = cl_list(18, VV[41], T0, VV[42], T1, VV[43], T2, VV[44], T3, VV[45], T4, VV[46], T5, VV[47], T6, VV[48], T7, VV[49], T8);
  value0 = cl_format(4, v2stream, VV[40], v1site, T9);
  return value0;
 }
}
/*      local function DEFINE-SITE-READER                             */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC29define_site_reader(cl_object v1, cl_object v2)
{
 cl_object T0, T1, T2;
 volatile cl_object lex0[1];
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   cl_object v3;
   cl_object v4documentation;
   v3 = ecl_cdr(v1);
   if (!(v3==ECL_NIL)) { goto L2; }
   ecl_function_dispatch(cl_env_copy,VV[104])(1, v1) /*  DM-TOO-FEW-ARGUMENTS */;
L2:;
   {
    cl_object v5;
    v5 = ecl_car(v3);
    v3 = ecl_cdr(v3);
    T0 = v5;
   }
   lex0[0] = T0;                                  /*  SLOT            */
   if (!(v3==ECL_NIL)) { goto L9; }
   ecl_function_dispatch(cl_env_copy,VV[104])(1, v1) /*  DM-TOO-FEW-ARGUMENTS */;
L9:;
   {
    cl_object v5;
    v5 = ecl_car(v3);
    v3 = ecl_cdr(v3);
    v4documentation = v5;
   }
   if (Null(v3)) { goto L14; }
   ecl_function_dispatch(cl_env_copy,VV[105])(1, v1) /*  DM-TOO-MANY-ARGUMENTS */;
L14:;
   T0 = LC28name(lex0, VV[53]);
   T1 = LC28name(lex0, VV[55]);
   T2 = cl_list(2, T1, VV[56]);
   value0 = cl_list(5, ECL_SYM("DEFUN",291), T0, VV[54], v4documentation, T2);
   return value0;
  }
 }
}
/*      local function NAME                                           */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object LC28name(volatile cl_object *lex0, cl_object v1prefix)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  T0 = cl_format(4, ECL_NIL, VV[51], v1prefix, lex0[0]);
  value0 = cl_intern(2, T0, VV[52]);
  return value0;
 }
}
/*      function definition for SITE-FUNCTIONS                        */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L30site_functions(volatile cl_narg narg, cl_object volatile v1site, ...)
{
 cl_object T0, T1;
 cl_object volatile env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object volatile value0;
 ecl_cs_check(cl_env_copy,value0);
 if (ecl_unlikely(narg<1)) FEwrong_num_arguments_anonym();
 if (ecl_unlikely(narg>2)) FEwrong_num_arguments_anonym();
 {
  cl_object volatile v2most;
  va_list args; va_start(args,v1site);
  {
   int i = 1;
   if (i >= narg) {
    v2most = ECL_NIL;
   } else {
    i++;
    v2most = va_arg(args,cl_object);
   }
  }
  va_end(args);
  {
   volatile cl_fixnum v3;
   {
    cl_object v4;
    v4 = ecl_function_dispatch(cl_env_copy,VV[107])(0) /*  %PAUSE     */;
    {
     bool v5;
     v5 = ECL_FIXNUMP(v4);
     if (ecl_unlikely(!(v5)))
         FEwrong_type_argument(ECL_SYM("FIXNUM",374),v4);
     value0 = ECL_NIL;
     cl_env_copy->nvalues = 0;
    }
    v3 = ecl_fixnum(v4);
   }
   {
    volatile bool unwinding = FALSE;
    cl_index v4=ECL_STACK_INDEX(cl_env_copy),v5;
    ecl_frame_ptr next_fr;
    ecl_frs_push(cl_env_copy,ECL_PROTECT_TAG);
    if (__ecl_frs_push_result) {
      unwinding = TRUE; next_fr=cl_env_copy->nlj_fr;
    } else {
    L24check_site(v1site);
    ecl_function_dispatch(cl_env_copy,VV[108])(2, VV[58], v2most) /*  CHECK-LIMIT */;
    if (Null(v2most)) { goto L8; }
    T0 = ecl_function_dispatch(cl_env_copy,VV[35])(1, v1site) /*  %SITE-CHAINS */;
    T1 = ecl_function_dispatch(cl_env_copy,VV[34])(1, v1site) /*  %SITE-STEP */;
    cl_env_copy->values[0] = L9some_names_from(T0, T1, v2most);
    goto L5;
L8:;
    T0 = ecl_function_dispatch(cl_env_copy,VV[35])(1, v1site) /*  %SITE-CHAINS */;
    T1 = ecl_function_dispatch(cl_env_copy,VV[34])(1, v1site) /*  %SITE-STEP */;
    cl_env_copy->values[0] = L8names_from(T0, T1);
L5:;
    }
    ecl_frs_pop(cl_env_copy);
    v5=ecl_stack_push_values(cl_env_copy);
    ecl_function_dispatch(cl_env_copy,VV[109])(1, ecl_make_fixnum(v3)) /*  %RESUME */;
    ecl_stack_pop_values(cl_env_copy,v5);
    if (unwinding) ecl_unwind(cl_env_copy,next_fr);
    ECL_STACK_SET_INDEX(cl_env_copy,v4);
    return cl_env_copy->values[0];
   }
  }
 }
}
/*      function definition for SITE-TYPE                             */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L31site_type(cl_object v1site)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  T0 = L24check_site(v1site);
  value0 = ecl_function_dispatch(cl_env_copy,VV[33])(1, T0) /*  %SITE-TYPE */;
  return value0;
 }
}
/*      function definition for SITE-BASE-TYPE                        */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L32site_base_type(cl_object v1site)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  T0 = L24check_site(v1site);
  value0 = ecl_function_dispatch(cl_env_copy,VV[32])(1, T0) /*  %SITE-BASE-TYPE */;
  return value0;
 }
}
/*      function definition for SITE-CATEGORY                         */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L33site_category(cl_object v1site)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  T0 = L24check_site(v1site);
  value0 = ecl_function_dispatch(cl_env_copy,VV[31])(1, T0) /*  %SITE-CATEGORY */;
  return value0;
 }
}
/*      function definition for SITE-OBJECTS                          */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L34site_objects(cl_object v1site)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  T0 = L24check_site(v1site);
  value0 = ecl_function_dispatch(cl_env_copy,VV[30])(1, T0) /*  %SITE-OBJECTS */;
  return value0;
 }
}
/*      function definition for SITE-BYTES                            */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L35site_bytes(cl_object v1site)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  T0 = L24check_site(v1site);
  value0 = ecl_function_dispatch(cl_env_copy,VV[29])(1, T0) /*  %SITE-BYTES */;
  return value0;
 }
}
/*      function definition for SITE-REQUESTED-BYTES                  */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L36site_requested_bytes(cl_object v1site)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  T0 = L24check_site(v1site);
  value0 = ecl_function_dispatch(cl_env_copy,VV[28])(1, T0) /*  %SITE-REQUESTED-BYTES */;
  return value0;
 }
}
/*      function definition for SITE-KEPT-OBJECTS                     */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L37site_kept_objects(cl_object v1site)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  T0 = L24check_site(v1site);
  value0 = ecl_function_dispatch(cl_env_copy,VV[27])(1, T0) /*  %SITE-KEPT-OBJECTS */;
  return value0;
 }
}
/*      function definition for SITE-KEPT-BYTES                       */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L38site_kept_bytes(cl_object v1site)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  T0 = L24check_site(v1site);
  value0 = ecl_function_dispatch(cl_env_copy,VV[26])(1, T0) /*  %SITE-KEPT-BYTES */;
  return value0;
 }
}
/*      function definition for SITE-COLLECTED-OBJECTS                */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L39site_collected_objects(cl_object v1site)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  T0 = L24check_site(v1site);
  value0 = ecl_function_dispatch(cl_env_copy,VV[25])(1, T0) /*  %SITE-COLLECTED-OBJECTS */;
  return value0;
 }
}
/*      function definition for SITE-COLLECTED-BYTES                  */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L40site_collected_bytes(cl_object v1site)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  T0 = L24check_site(v1site);
  value0 = ecl_function_dispatch(cl_env_copy,VV[24])(1, T0) /*  %SITE-COLLECTED-BYTES */;
  return value0;
 }
}
/*      function definition for SITE-SURVIVED                         */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L41site_survived(cl_object v1site)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  T0 = L24check_site(v1site);
  value0 = ecl_function_dispatch(cl_env_copy,VV[23])(1, T0) /*  %SITE-SURVIVED */;
  return value0;
 }
}
/*      function definition for FOCUS-NAME                            */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L42focus_name(cl_object v1focus)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  if (!(v1focus==ECL_NIL)) { goto L1; }
  value0 = ECL_NIL;
  cl_env_copy->nvalues = 1;
  return value0;
L1:;
  if (!(ECL_STRINGP(v1focus))) { goto L3; }
  value0 = v1focus;
  cl_env_copy->nvalues = 1;
  return value0;
L3:;
  if (Null(cl_functionp(v1focus))) { goto L5; }
  v1focus = ecl_function_dispatch(cl_env_copy,VV[122])(1, v1focus) /*  NAME-OF-FUNCTION */;
  goto TTL;
L5:;
  {
   cl_object v2;
   v2 = ecl_symbol_value(ECL_SYM("+IO-SYNTAX-PROGV-LIST+",1777));
   {
    cl_object v4, v5; cl_index v3;
    v4 = _ecl_car(v2);
    v5 = _ecl_cdr(v2);
    v3 = ecl_progv(cl_env_copy, v4, v5);
    T0 = cl_find_package(VV[71]);
    ecl_bds_bind(cl_env_copy,ECL_SYM("*PACKAGE*",45),T0); /*  *PACKAGE* */
    value0 = cl_prin1_to_string(v1focus);
    ecl_bds_unwind(cl_env_copy,v3);
    return value0;
   }
  }
 }
}
/*      function definition for OPEN-SITES                            */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L43open_sites(cl_object volatile v1profile, cl_object volatile v2frames, cl_object volatile v3sort, cl_object volatile v4most, cl_object volatile v5focus)
{
 cl_object T0;
 cl_object volatile env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object volatile value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   volatile cl_object v6file;
   v6file = ecl_function_dispatch(cl_env_copy,VV[124])(1, v1profile) /*  PROFILE-FILE */;
   {
    volatile cl_fixnum v7;
    {
     cl_object v8;
     v8 = ecl_function_dispatch(cl_env_copy,VV[107])(0) /*  %PAUSE    */;
     {
      bool v9;
      v9 = ECL_FIXNUMP(v8);
      if (ecl_unlikely(!(v9)))
         FEwrong_type_argument(ECL_SYM("FIXNUM",374),v8);
      value0 = ECL_NIL;
      cl_env_copy->nvalues = 0;
     }
     v7 = ecl_fixnum(v8);
    }
    {
     volatile bool unwinding = FALSE;
     cl_index v8=ECL_STACK_INDEX(cl_env_copy),v9;
     ecl_frame_ptr next_fr;
     ecl_frs_push(cl_env_copy,ECL_PROTECT_TAG);
     if (__ecl_frs_push_result) {
       unwinding = TRUE; next_fr=cl_env_copy->nlj_fr;
     } else {
     {
      struct ecl_stack_frame _ecl_inner_frame_aux;
      volatile cl_object _ecl_inner_frame = ecl_stack_frame_open(cl_env_copy,(cl_object)&_ecl_inner_frame_aux,0);
      {
       cl_object v10;
       v10 = _ecl_inner_frame;
       ecl_bds_bind(cl_env_copy,ECL_SYM("*INTERRUPTS-ENABLED*",7),ECL_NIL); /*  *INTERRUPTS-ENABLED* */
       ecl_bds_bind(cl_env_copy,ECL_SYM("*ALLOW-WITH-INTERRUPTS*",1793),ECL_NIL); /*  *ALLOW-WITH-INTERRUPTS* */
       cl_env_copy->values[0] = ecl_function_dispatch(cl_env_copy,VV[125])(5, v6file, v2frames, v3sort, v4most, v5focus) /*  %SITES */;
       ecl_bds_unwind1(cl_env_copy);
       ecl_bds_unwind1(cl_env_copy);
       ecl_stack_frame_push_values(v10);
       value0 = ECL_NIL;
       cl_env_copy->nvalues = 0;
       if (Null(ecl_symbol_value(ECL_SYM("*INTERRUPTS-ENABLED*",7)))) { goto L11; }
       si_check_pending_interrupts();
L11:;cl_env_copy->values[0]=ecl_stack_frame_pop_values(v10);
      }
      ecl_stack_frame_close(_ecl_inner_frame);
     }
     }
     ecl_frs_pop(cl_env_copy);
     v9=ecl_stack_push_values(cl_env_copy);
     ecl_function_dispatch(cl_env_copy,VV[109])(1, ecl_make_fixnum(v7)) /*  %RESUME */;
     ecl_stack_pop_values(cl_env_copy,v9);
     if (unwinding) ecl_unwind(cl_env_copy,next_fr);
     T0 = cl_env_copy->values[0];
     ECL_STACK_SET_INDEX(cl_env_copy,v8);
    }
   }
   value0 = ecl_function_dispatch(cl_env_copy,VV[126])(2, T0, v6file) /*  CHECK-RESULT */;
   return value0;
  }
 }
}
/*      function definition for CHAINS-OF                             */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L44chains_of(cl_object volatile v1sites)
{
 cl_object volatile env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object volatile value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   volatile cl_fixnum v2;
   {
    cl_object v3;
    v3 = ecl_function_dispatch(cl_env_copy,VV[107])(0) /*  %PAUSE     */;
    {
     bool v4;
     v4 = ECL_FIXNUMP(v3);
     if (ecl_unlikely(!(v4)))
         FEwrong_type_argument(ECL_SYM("FIXNUM",374),v3);
     value0 = ECL_NIL;
     cl_env_copy->nvalues = 0;
    }
    v2 = ecl_fixnum(v3);
   }
   {
    volatile bool unwinding = FALSE;
    cl_index v3=ECL_STACK_INDEX(cl_env_copy),v4;
    ecl_frame_ptr next_fr;
    ecl_frs_push(cl_env_copy,ECL_PROTECT_TAG);
    if (__ecl_frs_push_result) {
      unwinding = TRUE; next_fr=cl_env_copy->nlj_fr;
    } else {
    {
     struct ecl_stack_frame _ecl_inner_frame_aux;
     volatile cl_object _ecl_inner_frame = ecl_stack_frame_open(cl_env_copy,(cl_object)&_ecl_inner_frame_aux,0);
     {
      cl_object v5;
      v5 = _ecl_inner_frame;
      ecl_bds_bind(cl_env_copy,ECL_SYM("*INTERRUPTS-ENABLED*",7),ECL_NIL); /*  *INTERRUPTS-ENABLED* */
      ecl_bds_bind(cl_env_copy,ECL_SYM("*ALLOW-WITH-INTERRUPTS*",1793),ECL_NIL); /*  *ALLOW-WITH-INTERRUPTS* */
      {
       struct ecl_stack_frame _ecl_inner_frame_aux;
       cl_object _ecl_inner_frame = ecl_stack_frame_open(cl_env_copy,(cl_object)&_ecl_inner_frame_aux,0);
       {
        cl_object v6;
        v6 = _ecl_inner_frame;
        {
         cl_object v7;
         v7 = ecl_fdefinition(VV[3]);
         cl_env_copy->values[0] = ecl_function_dispatch(cl_env_copy,VV[128])(1, v1sites) /*  %SITES-TREE */;
         ecl_stack_frame_push_values(v6);
         value0 = ECL_NIL;
         cl_env_copy->nvalues = 0;cl_env_copy->values[0]=ecl_apply_from_stack_frame(v6,v7);
        }
       }
       ecl_stack_frame_close(_ecl_inner_frame);
      }
      ecl_bds_unwind1(cl_env_copy);
      ecl_bds_unwind1(cl_env_copy);
      ecl_stack_frame_push_values(v5);
      value0 = ECL_NIL;
      cl_env_copy->nvalues = 0;
      if (Null(ecl_symbol_value(ECL_SYM("*INTERRUPTS-ENABLED*",7)))) { goto L14; }
      si_check_pending_interrupts();
L14:;cl_env_copy->values[0]=ecl_stack_frame_pop_values(v5);
     }
     ecl_stack_frame_close(_ecl_inner_frame);
    }
    }
    ecl_frs_pop(cl_env_copy);
    v4=ecl_stack_push_values(cl_env_copy);
    ecl_function_dispatch(cl_env_copy,VV[109])(1, ecl_make_fixnum(v2)) /*  %RESUME */;
    ecl_stack_pop_values(cl_env_copy,v4);
    if (unwinding) ecl_unwind(cl_env_copy,next_fr);
    ECL_STACK_SET_INDEX(cl_env_copy,v3);
    return cl_env_copy->values[0];
   }
  }
 }
}
/*      function definition for NEXT-SITE                             */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L45next_site(cl_object volatile v1sites, cl_object volatile v2chains)
{
 cl_object T0;
 cl_object volatile env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object volatile value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   volatile cl_object v3fields;
   {
    volatile cl_fixnum v4;
    {
     cl_object v5;
     v5 = ecl_function_dispatch(cl_env_copy,VV[107])(0) /*  %PAUSE    */;
     {
      bool v6;
      v6 = ECL_FIXNUMP(v5);
      if (ecl_unlikely(!(v6)))
         FEwrong_type_argument(ECL_SYM("FIXNUM",374),v5);
      value0 = ECL_NIL;
      cl_env_copy->nvalues = 0;
     }
     v4 = ecl_fixnum(v5);
    }
    {
     volatile bool unwinding = FALSE;
     cl_index v5=ECL_STACK_INDEX(cl_env_copy),v6;
     ecl_frame_ptr next_fr;
     ecl_frs_push(cl_env_copy,ECL_PROTECT_TAG);
     if (__ecl_frs_push_result) {
       unwinding = TRUE; next_fr=cl_env_copy->nlj_fr;
     } else {
     {
      struct ecl_stack_frame _ecl_inner_frame_aux;
      volatile cl_object _ecl_inner_frame = ecl_stack_frame_open(cl_env_copy,(cl_object)&_ecl_inner_frame_aux,0);
      {
       cl_object v7;
       v7 = _ecl_inner_frame;
       ecl_bds_bind(cl_env_copy,ECL_SYM("*INTERRUPTS-ENABLED*",7),ECL_NIL); /*  *INTERRUPTS-ENABLED* */
       ecl_bds_bind(cl_env_copy,ECL_SYM("*ALLOW-WITH-INTERRUPTS*",1793),ECL_NIL); /*  *ALLOW-WITH-INTERRUPTS* */
       cl_env_copy->values[0] = ecl_function_dispatch(cl_env_copy,VV[130])(1, v1sites) /*  %NEXT-SITE */;
       ecl_bds_unwind1(cl_env_copy);
       ecl_bds_unwind1(cl_env_copy);
       ecl_stack_frame_push_values(v7);
       value0 = ECL_NIL;
       cl_env_copy->nvalues = 0;
       if (Null(ecl_symbol_value(ECL_SYM("*INTERRUPTS-ENABLED*",7)))) { goto L10; }
       si_check_pending_interrupts();
L10:;cl_env_copy->values[0]=ecl_stack_frame_pop_values(v7);
      }
      ecl_stack_frame_close(_ecl_inner_frame);
     }
     }
     ecl_frs_pop(cl_env_copy);
     v6=ecl_stack_push_values(cl_env_copy);
     ecl_function_dispatch(cl_env_copy,VV[109])(1, ecl_make_fixnum(v4)) /*  %RESUME */;
     ecl_stack_pop_values(cl_env_copy,v6);
     if (unwinding) ecl_unwind(cl_env_copy,next_fr);
     v3fields = cl_env_copy->values[0];
     ECL_STACK_SET_INDEX(cl_env_copy,v5);
    }
   }
   if (Null(v3fields)) { goto L13; }
   {
    volatile cl_fixnum v4;
    {
     cl_object v5;
     v5 = ecl_function_dispatch(cl_env_copy,VV[107])(0) /*  %PAUSE    */;
     {
      bool v6;
      v6 = ECL_FIXNUMP(v5);
      if (ecl_unlikely(!(v6)))
         FEwrong_type_argument(ECL_SYM("FIXNUM",374),v5);
      value0 = ECL_NIL;
      cl_env_copy->nvalues = 0;
     }
     v4 = ecl_fixnum(v5);
    }
    {
     volatile bool unwinding = FALSE;
     cl_index v5=ECL_STACK_INDEX(cl_env_copy),v6;
     ecl_frame_ptr next_fr;
     ecl_frs_push(cl_env_copy,ECL_PROTECT_TAG);
     if (__ecl_frs_push_result) {
       unwinding = TRUE; next_fr=cl_env_copy->nlj_fr;
     } else {
     T0 = ecl_fdefinition(VV[21]);
     cl_env_copy->values[0] = cl_apply(3, T0, v2chains, v3fields);
     }
     ecl_frs_pop(cl_env_copy);
     v6=ecl_stack_push_values(cl_env_copy);
     ecl_function_dispatch(cl_env_copy,VV[109])(1, ecl_make_fixnum(v4)) /*  %RESUME */;
     ecl_stack_pop_values(cl_env_copy,v6);
     if (unwinding) ecl_unwind(cl_env_copy,next_fr);
     ECL_STACK_SET_INDEX(cl_env_copy,v5);
     return cl_env_copy->values[0];
    }
   }
L13:;
   value0 = ECL_NIL;
   cl_env_copy->nvalues = 1;
   return value0;
  }
 }
}
/*      function definition for MAP-SITES                             */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L46map_sites(volatile cl_narg narg, cl_object volatile v1function, ...)
{
 cl_object T0, T1, T2, T3, T4;
 cl_object volatile env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object volatile value0;
 ecl_cs_check(cl_env_copy,value0);
 if (ecl_unlikely(narg<1)) FEwrong_num_arguments_anonym();
 {
  cl_object volatile v2profile;
  cl_object volatile v3sort;
  cl_object volatile v4max;
  cl_object volatile v5frames;
  cl_object volatile v6focus;
  ecl_va_list args; ecl_va_start(args,v1function,narg,1);
  {
   cl_object keyvars[10];
   cl_parse_key(args,5,L46map_siteskeys,keyvars,NULL,FALSE);
   ecl_va_end(args);
   v2profile = keyvars[0];
   if (Null(keyvars[6])) {
    v3sort = VV[76];
   } else {
    v3sort = keyvars[1];
   }
   v4max = keyvars[2];
   if (Null(keyvars[8])) {
    v5frames = VV[77];
   } else {
    v5frames = keyvars[3];
   }
   v6focus = keyvars[4];
  }
  {
   volatile cl_fixnum v7;
   {
    cl_object v8;
    v8 = ecl_function_dispatch(cl_env_copy,VV[107])(0) /*  %PAUSE     */;
    {
     bool v9;
     v9 = ECL_FIXNUMP(v8);
     if (ecl_unlikely(!(v9)))
         FEwrong_type_argument(ECL_SYM("FIXNUM",374),v8);
     value0 = ECL_NIL;
     cl_env_copy->nvalues = 0;
    }
    v7 = ecl_fixnum(v8);
   }
   {
    volatile bool unwinding = FALSE;
    cl_index v8=ECL_STACK_INDEX(cl_env_copy),v9;
    ecl_frame_ptr next_fr;
    ecl_frs_push(cl_env_copy,ECL_PROTECT_TAG);
    if (__ecl_frs_push_result) {
      unwinding = TRUE; next_fr=cl_env_copy->nlj_fr;
    } else {
    ecl_function_dispatch(cl_env_copy,VV[137])(1, v1function) /*  CHECK-FUNCTION */;
    ecl_function_dispatch(cl_env_copy,VV[138])(1, v3sort) /*  CHECK-SORT */;
    ecl_function_dispatch(cl_env_copy,VV[108])(2, VV[78], v4max) /*  CHECK-LIMIT */;
    ecl_function_dispatch(cl_env_copy,VV[139])(1, v5frames) /*  CHECK-FRAMES */;
    ecl_function_dispatch(cl_env_copy,VV[140])(1, v6focus) /*  CHECK-FOCUS */;
    cl_env_copy->values[0] = ecl_function_dispatch(cl_env_copy,VV[141])(1, v2profile) /*  CHECK-PROFILE */;
    }
    ecl_frs_pop(cl_env_copy);
    v9=ecl_stack_push_values(cl_env_copy);
    ecl_function_dispatch(cl_env_copy,VV[109])(1, ecl_make_fixnum(v7)) /*  %RESUME */;
    ecl_stack_pop_values(cl_env_copy,v9);
    if (unwinding) ecl_unwind(cl_env_copy,next_fr);
    ECL_STACK_SET_INDEX(cl_env_copy,v8);
   }
  }
  {
   volatile cl_object v7sites;
   T0 = ecl_function_dispatch(cl_env_copy,VV[142])(1, v2profile) /*  FIND-PROFILE */;
   T1 = ecl_function_dispatch(cl_env_copy,VV[143])(1, v5frames) /*  FRAMES-CODE */;
   T2 = ecl_function_dispatch(cl_env_copy,VV[144])(1, v3sort) /*  SORT-CODE */;
   value0 = v4max;
   if ((value0)!=ECL_NIL) { goto L17; }
   T3 = ecl_make_fixnum(0);
   goto L15;
L17:;
   T3 = value0;
   goto L15;
L15:;
   T4 = L42focus_name(v6focus);
   v7sites = L43open_sites(T0, T1, T2, T3, T4);
   {
    volatile bool unwinding = FALSE;
    cl_index v8=ECL_STACK_INDEX(cl_env_copy),v9;
    ecl_frame_ptr next_fr;
    ecl_frs_push(cl_env_copy,ECL_PROTECT_TAG);
    if (__ecl_frs_push_result) {
      unwinding = TRUE; next_fr=cl_env_copy->nlj_fr;
    } else {
    {
     cl_object v10chains;
     v10chains = L44chains_of(v7sites);
     {
      cl_object v11site;
      v11site = ECL_NIL;
L22:;
      v11site = L45next_site(v7sites, v10chains);
      if ((v11site)!=ECL_NIL) { goto L26; }
      goto L23;
L26:;
      ecl_function_dispatch(cl_env_copy,v1function)(1, v11site);
      goto L22;
L23:;
      cl_env_copy->values[0] = ECL_NIL;
      cl_env_copy->nvalues = 1;
     }
    }
    }
    ecl_frs_pop(cl_env_copy);
    v9=ecl_stack_push_values(cl_env_copy);
    {
     volatile cl_fixnum v10;
     {
      cl_object v11;
      v11 = ecl_function_dispatch(cl_env_copy,VV[107])(0) /*  %PAUSE  */;
      {
       bool v12;
       v12 = ECL_FIXNUMP(v11);
       if (ecl_unlikely(!(v12)))
         FEwrong_type_argument(ECL_SYM("FIXNUM",374),v11);
       value0 = ECL_NIL;
       cl_env_copy->nvalues = 0;
      }
      v10 = ecl_fixnum(v11);
     }
     {
      volatile bool unwinding = FALSE;
      cl_index v11=ECL_STACK_INDEX(cl_env_copy),v12;
      ecl_frame_ptr next_fr;
      ecl_frs_push(cl_env_copy,ECL_PROTECT_TAG);
      if (__ecl_frs_push_result) {
        unwinding = TRUE; next_fr=cl_env_copy->nlj_fr;
      } else {
      {
       struct ecl_stack_frame _ecl_inner_frame_aux;
       volatile cl_object _ecl_inner_frame = ecl_stack_frame_open(cl_env_copy,(cl_object)&_ecl_inner_frame_aux,0);
       {
        cl_object v13;
        v13 = _ecl_inner_frame;
        ecl_bds_bind(cl_env_copy,ECL_SYM("*INTERRUPTS-ENABLED*",7),ECL_NIL); /*  *INTERRUPTS-ENABLED* */
        ecl_bds_bind(cl_env_copy,ECL_SYM("*ALLOW-WITH-INTERRUPTS*",1793),ECL_NIL); /*  *ALLOW-WITH-INTERRUPTS* */
        cl_env_copy->values[0] = ecl_function_dispatch(cl_env_copy,VV[145])(1, v7sites) /*  %CLOSE-SITES */;
        ecl_bds_unwind1(cl_env_copy);
        ecl_bds_unwind1(cl_env_copy);
        ecl_stack_frame_push_values(v13);
        value0 = ECL_NIL;
        cl_env_copy->nvalues = 0;
        if (Null(ecl_symbol_value(ECL_SYM("*INTERRUPTS-ENABLED*",7)))) { goto L39; }
        si_check_pending_interrupts();
L39:;cl_env_copy->values[0]=ecl_stack_frame_pop_values(v13);
       }
       ecl_stack_frame_close(_ecl_inner_frame);
      }
      }
      ecl_frs_pop(cl_env_copy);
      v12=ecl_stack_push_values(cl_env_copy);
      ecl_function_dispatch(cl_env_copy,VV[109])(1, ecl_make_fixnum(v10)) /*  %RESUME */;
      ecl_stack_pop_values(cl_env_copy,v12);
      if (unwinding) ecl_unwind(cl_env_copy,next_fr);
      ECL_STACK_SET_INDEX(cl_env_copy,v11);
     }
    }
    ecl_stack_pop_values(cl_env_copy,v9);
    if (unwinding) ecl_unwind(cl_env_copy,next_fr);
    ECL_STACK_SET_INDEX(cl_env_copy,v8);
    return cl_env_copy->values[0];
   }
  }
 }
}
/*      function definition for COLUMNS-OF                            */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L47columns_of(cl_object v1stream)
{
 cl_object T0;
 cl_object env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
L1:;
  {
   cl_object v2;
   v2 = v1stream;
   if (Null(si_of_class_p(2, v2, ECL_SYM("SYNONYM-STREAM",850)))) { goto L4; }
   T0 = cl_synonym_stream_symbol(v1stream);
   v1stream = cl_symbol_value(T0);
   goto L2;
L4:;
   if (Null(si_of_class_p(2, v2, ECL_SYM("TWO-WAY-STREAM",868)))) { goto L7; }
   v1stream = cl_two_way_stream_output_stream(v1stream);
   goto L2;
L7:;
   if (Null(si_of_class_p(2, v2, ECL_SYM("FILE-STREAM",360)))) { goto L10; }
   value0 = ecl_function_dispatch(cl_env_copy,VV[147])(1, v1stream) /*  %COLUMNS */;
   return value0;
L10:;
   value0 = ecl_make_fixnum(0);
   cl_env_copy->nvalues = 1;
   return value0;
  }
L2:;
  goto L1;
 }
}
/*      function definition for REPORT-TEXT                           */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L48report_text(cl_object volatile v1profile, cl_object volatile v2type, cl_object volatile v3sort, cl_object volatile v4max, cl_object volatile v5min_percent, cl_object volatile v6frames, cl_object volatile v7chain, cl_object volatile v8focus, cl_object volatile v9full_names, cl_object volatile v10skip, cl_object volatile v11width)
{
 cl_object T0, T1, T2, T3, T4, T5, T6, T7, T8, T9;
 cl_object volatile env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object volatile value0;
 ecl_cs_check(cl_env_copy,value0);
 {
TTL:
  {
   volatile cl_object v12file;
   v12file = ecl_function_dispatch(cl_env_copy,VV[124])(1, v1profile) /*  PROFILE-FILE */;
   {
    volatile cl_fixnum v13;
    {
     cl_object v14;
     v14 = ecl_function_dispatch(cl_env_copy,VV[107])(0) /*  %PAUSE   */;
     {
      bool v15;
      v15 = ECL_FIXNUMP(v14);
      if (ecl_unlikely(!(v15)))
         FEwrong_type_argument(ECL_SYM("FIXNUM",374),v14);
      value0 = ECL_NIL;
      cl_env_copy->nvalues = 0;
     }
     v13 = ecl_fixnum(v14);
    }
    {
     volatile bool unwinding = FALSE;
     cl_index v14=ECL_STACK_INDEX(cl_env_copy),v15;
     ecl_frame_ptr next_fr;
     ecl_frs_push(cl_env_copy,ECL_PROTECT_TAG);
     if (__ecl_frs_push_result) {
       unwinding = TRUE; next_fr=cl_env_copy->nlj_fr;
     } else {
     {
      struct ecl_stack_frame _ecl_inner_frame_aux;
      volatile cl_object _ecl_inner_frame = ecl_stack_frame_open(cl_env_copy,(cl_object)&_ecl_inner_frame_aux,0);
      {
       cl_object v16;
       v16 = _ecl_inner_frame;
       ecl_bds_bind(cl_env_copy,ECL_SYM("*INTERRUPTS-ENABLED*",7),ECL_NIL); /*  *INTERRUPTS-ENABLED* */
       ecl_bds_bind(cl_env_copy,ECL_SYM("*ALLOW-WITH-INTERRUPTS*",1793),ECL_NIL); /*  *ALLOW-WITH-INTERRUPTS* */
       T1 = ecl_function_dispatch(cl_env_copy,VV[149])(1, v2type) /*  TABLES-CODE */;
       T2 = ecl_function_dispatch(cl_env_copy,VV[143])(1, v6frames) /*  FRAMES-CODE */;
       T3 = ecl_function_dispatch(cl_env_copy,VV[144])(1, v3sort) /*  SORT-CODE */;
       value0 = v4max;
       if ((value0)!=ECL_NIL) { goto L13; }
       T4 = ecl_make_fixnum(0);
       goto L11;
L13:;
       T4 = value0;
       goto L11;
L11:;
       {
        double v17;
        {
         cl_object v18c__value;
         value0 = v5min_percent;
         if ((value0)!=ECL_NIL) { goto L18; }
         v18c__value = ecl_make_fixnum(0);
         goto L16;
L18:;
         v18c__value = value0;
         goto L16;
L16:;
         v17 = ecl_to_double(v18c__value);
        }
        T5 = ecl_function_dispatch(cl_env_copy,VV[150])(1, v7chain) /*  CHAIN-CODE */;
        T6 = L42focus_name(v8focus);
        {
         cl_fixnum v18;
         if (Null(v9full_names)) { goto L21; }
         v18 = 1;
         goto L20;
L21:;
         v18 = 0;
L20:;
         {
          cl_fixnum v19;
          if (Null(v10skip)) { goto L24; }
          v19 = 0;
          goto L23;
L24:;
          v19 = 1;
L23:;
          T7 = ecl_function_dispatch(cl_env_copy,VV[151])(1, ecl_symbol_value(VV[81])) /*  PART-FROM */;
          T8 = ecl_function_dispatch(cl_env_copy,VV[152])(1, ecl_symbol_value(VV[81])) /*  PART-TO */;
          T9 = ecl_function_dispatch(cl_env_copy,VV[153])(1, ecl_symbol_value(VV[81])) /*  PART-RECORDER */;
          cl_env_copy->values[0] = ecl_function_dispatch(cl_env_copy,VV[154])(14, v12file, T1, T2, T3, T4, v11width, ecl_make_double_float(v17), T5, T6, ecl_make_fixnum(v18), ecl_make_fixnum(v19), T7, T8, T9) /*  %REPORT */;
          ecl_bds_unwind1(cl_env_copy);
          ecl_bds_unwind1(cl_env_copy);
         }
        }
       }
       ecl_stack_frame_push_values(v16);
       value0 = ECL_NIL;
       cl_env_copy->nvalues = 0;
       if (Null(ecl_symbol_value(ECL_SYM("*INTERRUPTS-ENABLED*",7)))) { goto L26; }
       si_check_pending_interrupts();
L26:;cl_env_copy->values[0]=ecl_stack_frame_pop_values(v16);
      }
      ecl_stack_frame_close(_ecl_inner_frame);
     }
     }
     ecl_frs_pop(cl_env_copy);
     v15=ecl_stack_push_values(cl_env_copy);
     ecl_function_dispatch(cl_env_copy,VV[109])(1, ecl_make_fixnum(v13)) /*  %RESUME */;
     ecl_stack_pop_values(cl_env_copy,v15);
     if (unwinding) ecl_unwind(cl_env_copy,next_fr);
     T0 = cl_env_copy->values[0];
     ECL_STACK_SET_INDEX(cl_env_copy,v14);
    }
   }
   value0 = ecl_function_dispatch(cl_env_copy,VV[126])(2, T0, v12file) /*  CHECK-RESULT */;
   return value0;
  }
 }
}
/*      function definition for REPORT                                */
/*      optimize speed 3, debug 0, space 0, safety 2                  */
static cl_object L49report(volatile cl_narg narg, ...)
{
 cl_object T0, T1;
 cl_object volatile env0 = ECL_NIL;
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object volatile value0;
 ecl_cs_check(cl_env_copy,value0);
 {
  cl_object volatile v1type;
  cl_object volatile v2sort;
  cl_object volatile v3max;
  cl_object volatile v4min_percent;
  cl_object volatile v5stream;
  cl_object volatile v6profile;
  cl_object volatile v7frames;
  cl_object volatile v8chain;
  cl_object volatile v9focus;
  cl_object volatile v10full_names;
  cl_object volatile v11skip;
  ecl_va_list args; ecl_va_start(args,narg,narg,0);
  {
   cl_object keyvars[22];
   cl_parse_key(args,11,L49reportkeys,keyvars,NULL,FALSE);
   ecl_va_end(args);
   if (Null(keyvars[11])) {
    v1type = VV[83];
   } else {
    v1type = keyvars[0];
   }
   if (Null(keyvars[12])) {
    v2sort = VV[76];
   } else {
    v2sort = keyvars[1];
   }
   v3max = keyvars[2];
   if (Null(keyvars[14])) {
    v4min_percent = VV[84];
   } else {
    v4min_percent = keyvars[3];
   }
   if (Null(keyvars[15])) {
    v5stream = ecl_symbol_value(ECL_SYM("*STANDARD-OUTPUT*",69));
   } else {
    v5stream = keyvars[4];
   }
   v6profile = keyvars[5];
   if (Null(keyvars[17])) {
    v7frames = VV[77];
   } else {
    v7frames = keyvars[6];
   }
   v8chain = keyvars[7];
   v9focus = keyvars[8];
   v10full_names = keyvars[9];
   if (Null(keyvars[21])) {
    v11skip = ECL_T;
   } else {
    v11skip = keyvars[10];
   }
  }
  {
   volatile cl_fixnum v12;
   {
    cl_object v13;
    v13 = ecl_function_dispatch(cl_env_copy,VV[107])(0) /*  %PAUSE    */;
    {
     bool v14;
     v14 = ECL_FIXNUMP(v13);
     if (ecl_unlikely(!(v14)))
         FEwrong_type_argument(ECL_SYM("FIXNUM",374),v13);
     value0 = ECL_NIL;
     cl_env_copy->nvalues = 0;
    }
    v12 = ecl_fixnum(v13);
   }
   {
    volatile bool unwinding = FALSE;
    cl_index v13=ECL_STACK_INDEX(cl_env_copy),v14;
    ecl_frame_ptr next_fr;
    ecl_frs_push(cl_env_copy,ECL_PROTECT_TAG);
    if (__ecl_frs_push_result) {
      unwinding = TRUE; next_fr=cl_env_copy->nlj_fr;
    } else {
    ecl_function_dispatch(cl_env_copy,VV[167])(18, ECL_SYM("TYPE",1346), v1type, VV[85], v2sort, VV[78], v3max, VV[86], v4min_percent, ECL_SYM("STREAM",1340), v5stream, VV[87], v6profile, VV[88], v7frames, VV[89], v8chain, VV[90], v9focus) /*  CHECK-REPORT */;
    {
     cl_object v15to;
     cl_object v16text;
     if (!((v5stream)==(ECL_T))) { goto L13; }
     v15to = ecl_symbol_value(ECL_SYM("*STANDARD-OUTPUT*",69));
     goto L12;
L13:;
     v15to = v5stream;
L12:;
     T0 = ecl_function_dispatch(cl_env_copy,VV[142])(1, v6profile) /*  FIND-PROFILE */;
     value0 = ecl_symbol_value(ECL_SYM("*PRINT-RIGHT-MARGIN*",60));
     if ((value0)!=ECL_NIL) { goto L18; }
     if (Null(v15to)) { goto L20; }
     T1 = L47columns_of(v15to);
     goto L16;
L20:;
     T1 = ecl_make_fixnum(0);
     goto L16;
L18:;
     T1 = value0;
     goto L16;
L16:;
     v16text = L48report_text(T0, v1type, v2sort, v3max, v4min_percent, v7frames, v8chain, v9focus, v10full_names, v11skip, T1);
     if (Null(v15to)) { goto L22; }
     cl_write_string(2, v16text, v15to);
     cl_env_copy->values[0] = ECL_NIL;
     cl_env_copy->nvalues = 0;
     goto L10;
L22:;
     cl_env_copy->values[0] = v16text;
     cl_env_copy->nvalues = 1;
    }
L10:;
    }
    ecl_frs_pop(cl_env_copy);
    v14=ecl_stack_push_values(cl_env_copy);
    ecl_function_dispatch(cl_env_copy,VV[109])(1, ecl_make_fixnum(v12)) /*  %RESUME */;
    ecl_stack_pop_values(cl_env_copy,v14);
    if (unwinding) ecl_unwind(cl_env_copy,next_fr);
    ECL_STACK_SET_INDEX(cl_env_copy,v13);
    return cl_env_copy->values[0];
   }
  }
 }
}

#include "lisp/report.data"
#ifdef __cplusplus
extern "C"
#endif
ECL_DLLEXPORT void _eclW37gzqbJLpdq9_dymnLV81(cl_object flag)
{
 const cl_env_ptr cl_env_copy = ecl_process_env();
 cl_object value0;
 cl_object *VVtemp;
 if (flag != OBJNULL){
 Cblock = flag;
 #ifndef ECL_DYNAMIC_VV
 flag->cblock.data = VV;
 #endif
 flag->cblock.data_size = VM;
 flag->cblock.temp_data_size = VMtemp;
 flag->cblock.data_text = compiler_data_text;
 flag->cblock.cfuns_size = compiler_cfuns_size;
 flag->cblock.cfuns = compiler_cfuns;
 flag->cblock.source = ecl_make_constant_base_string("/root/h/int/lisp/report.lisp",-1);
 return;}
 #ifdef ECL_DYNAMIC_VV
 VV = Cblock->cblock.data;
 #endif
 Cblock->cblock.data_text = (const cl_object *)"@EcLtAg:_eclW37gzqbJLpdq9_dymnLV81@";
 VVtemp = Cblock->cblock.temp_data;
 ECL_DEFINE_SETF_FUNCTIONS
  si_select_package(VVtemp[0]);
  si_do_deftype(3, VV[0], VVtemp[1], VVtemp[2]);
 {
  cl_object T0;
  cl_object volatile env0 = ECL_NIL;
  ecl_function_dispatch(cl_env_copy,VV[91])(15, VV[1], VV[2], ECL_NIL, ECL_NIL, VVtemp[3], VVtemp[4], ECL_NIL, ECL_NIL, ECL_NIL, ECL_NIL, VVtemp[5], ecl_make_fixnum(4), ECL_NIL, VVtemp[6], ECL_NIL) /*  DEFINE-STRUCTURE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VVtemp[7], ECL_SYM("LOCATION",1842), VVtemp[8], VVtemp[9]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[3], ECL_SYM("LOCATION",1842), VVtemp[10], VVtemp[9]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[3], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[11]) /*  ANNOTATE */;
  VV[9]= cl_find_class(1, VV[1]);
  ecl_cmp_defun(VV[92]);                          /*  MAKE-CHAINS     */
  {
   cl_object v1package;
   v1package = cl_symbol_package(VV[10]);
   if (Null(v1package)) { goto L15; }
   if (Null(si_package_locked_p(v1package))) { goto L15; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L15; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[14], ECL_SYM("PACKAGE",1311), v1package);
  }
L15:;
  {
   cl_object volatile v2;
   v2 = ecl_make_cfun((cl_objectfn_fixed)LC2__lambda4,ECL_NIL,Cblock,2);
   T0 = v2;
  }
  si_put_sysprop(VV[10], VV[11], T0);
  {
   cl_object v2package;
   v2package = cl_symbol_package(VV[12]);
   if (Null(v2package)) { goto L23; }
   if (Null(si_package_locked_p(v2package))) { goto L23; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L23; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[15], ECL_SYM("PACKAGE",1311), v2package);
  }
L23:;
  {
   cl_object volatile v3;
   v3 = ecl_make_cfun((cl_objectfn_fixed)LC3__lambda8,ECL_NIL,Cblock,2);
   T0 = v3;
  }
  si_put_sysprop(VV[12], VV[11], T0);
  {
   cl_object v3package;
   v3package = cl_symbol_package(VV[13]);
   if (Null(v3package)) { goto L31; }
   if (Null(si_package_locked_p(v3package))) { goto L31; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L31; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[16], ECL_SYM("PACKAGE",1311), v3package);
  }
L31:;
  {
   cl_object volatile v4;
   v4 = ecl_make_cfun((cl_objectfn_fixed)LC4__lambda12,ECL_NIL,Cblock,2);
   T0 = v4;
  }
  si_put_sysprop(VV[13], VV[11], T0);
  {
   cl_object v4package;
   v4package = cl_symbol_package(VV[14]);
   if (Null(v4package)) { goto L39; }
   if (Null(si_package_locked_p(v4package))) { goto L39; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L39; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[17], ECL_SYM("PACKAGE",1311), v4package);
  }
L39:;
  {
   cl_object volatile v5;
   v5 = ecl_make_cfun((cl_objectfn_fixed)LC5__lambda16,ECL_NIL,Cblock,2);
   T0 = v5;
  }
  si_put_sysprop(VV[14], VV[11], T0);
 }
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[15], ECL_SYM("LOCATION",1842), VVtemp[18], VVtemp[19]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[15], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[20]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[94]);                          /*  LISTS-OF        */
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[16], ECL_SYM("LOCATION",1842), VVtemp[21], VVtemp[22]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[16], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[23]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[95]);                          /*  NAME-OF-STEP    */
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[17], ECL_SYM("LOCATION",1842), VVtemp[24], VVtemp[25]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[17], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[23]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[96]);                          /*  NAMES-FROM      */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[17], ECL_SYM("FUNCTION",398), VVtemp[26]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[18], ECL_SYM("LOCATION",1842), VVtemp[27], VVtemp[28]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[18], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[29]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[98]);                          /*  SOME-NAMES-FROM */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[18], ECL_SYM("FUNCTION",398), VVtemp[30]) /*  SET-DOCUMENTATION */;
 {
  cl_object T0;
  cl_object volatile env0 = ECL_NIL;
  ecl_function_dispatch(cl_env_copy,VV[91])(15, VV[19], VV[20], ECL_NIL, ECL_NIL, VVtemp[31], VVtemp[32], ECL_NIL, ECL_NIL, ECL_NIL, ECL_NIL, VVtemp[33], ecl_make_fixnum(13), ECL_NIL, VVtemp[34], ECL_NIL) /*  DEFINE-STRUCTURE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VVtemp[35], ECL_SYM("LOCATION",1842), VVtemp[36], VVtemp[37]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[21], ECL_SYM("LOCATION",1842), VVtemp[38], VVtemp[37]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[21], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[39]) /*  ANNOTATE */;
  VV[22]= cl_find_class(1, VV[19]);
  ecl_cmp_defun(VV[99]);                          /*  MAKE-SITE       */
  {
   cl_object v1package;
   v1package = cl_symbol_package(VV[23]);
   if (Null(v1package)) { goto L86; }
   if (Null(si_package_locked_p(v1package))) { goto L86; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L86; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[40], ECL_SYM("PACKAGE",1311), v1package);
  }
L86:;
  {
   cl_object volatile v2;
   v2 = ecl_make_cfun((cl_objectfn_fixed)LC11__lambda40,ECL_NIL,Cblock,2);
   T0 = v2;
  }
  si_put_sysprop(VV[23], VV[11], T0);
  {
   cl_object v2package;
   v2package = cl_symbol_package(VV[24]);
   if (Null(v2package)) { goto L94; }
   if (Null(si_package_locked_p(v2package))) { goto L94; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L94; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[41], ECL_SYM("PACKAGE",1311), v2package);
  }
L94:;
  {
   cl_object volatile v3;
   v3 = ecl_make_cfun((cl_objectfn_fixed)LC12__lambda44,ECL_NIL,Cblock,2);
   T0 = v3;
  }
  si_put_sysprop(VV[24], VV[11], T0);
  {
   cl_object v3package;
   v3package = cl_symbol_package(VV[25]);
   if (Null(v3package)) { goto L102; }
   if (Null(si_package_locked_p(v3package))) { goto L102; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L102; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[42], ECL_SYM("PACKAGE",1311), v3package);
  }
L102:;
  {
   cl_object volatile v4;
   v4 = ecl_make_cfun((cl_objectfn_fixed)LC13__lambda48,ECL_NIL,Cblock,2);
   T0 = v4;
  }
  si_put_sysprop(VV[25], VV[11], T0);
  {
   cl_object v4package;
   v4package = cl_symbol_package(VV[26]);
   if (Null(v4package)) { goto L110; }
   if (Null(si_package_locked_p(v4package))) { goto L110; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L110; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[43], ECL_SYM("PACKAGE",1311), v4package);
  }
L110:;
  {
   cl_object volatile v5;
   v5 = ecl_make_cfun((cl_objectfn_fixed)LC14__lambda52,ECL_NIL,Cblock,2);
   T0 = v5;
  }
  si_put_sysprop(VV[26], VV[11], T0);
  {
   cl_object v5package;
   v5package = cl_symbol_package(VV[27]);
   if (Null(v5package)) { goto L118; }
   if (Null(si_package_locked_p(v5package))) { goto L118; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L118; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[44], ECL_SYM("PACKAGE",1311), v5package);
  }
L118:;
  {
   cl_object volatile v6;
   v6 = ecl_make_cfun((cl_objectfn_fixed)LC15__lambda56,ECL_NIL,Cblock,2);
   T0 = v6;
  }
  si_put_sysprop(VV[27], VV[11], T0);
  {
   cl_object v6package;
   v6package = cl_symbol_package(VV[28]);
   if (Null(v6package)) { goto L126; }
   if (Null(si_package_locked_p(v6package))) { goto L126; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L126; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[45], ECL_SYM("PACKAGE",1311), v6package);
  }
L126:;
  {
   cl_object volatile v7;
   v7 = ecl_make_cfun((cl_objectfn_fixed)LC16__lambda60,ECL_NIL,Cblock,2);
   T0 = v7;
  }
  si_put_sysprop(VV[28], VV[11], T0);
  {
   cl_object v7package;
   v7package = cl_symbol_package(VV[29]);
   if (Null(v7package)) { goto L134; }
   if (Null(si_package_locked_p(v7package))) { goto L134; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L134; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[46], ECL_SYM("PACKAGE",1311), v7package);
  }
L134:;
  {
   cl_object volatile v8;
   v8 = ecl_make_cfun((cl_objectfn_fixed)LC17__lambda64,ECL_NIL,Cblock,2);
   T0 = v8;
  }
  si_put_sysprop(VV[29], VV[11], T0);
  {
   cl_object v8package;
   v8package = cl_symbol_package(VV[30]);
   if (Null(v8package)) { goto L142; }
   if (Null(si_package_locked_p(v8package))) { goto L142; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L142; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[47], ECL_SYM("PACKAGE",1311), v8package);
  }
L142:;
  {
   cl_object volatile v9;
   v9 = ecl_make_cfun((cl_objectfn_fixed)LC18__lambda68,ECL_NIL,Cblock,2);
   T0 = v9;
  }
  si_put_sysprop(VV[30], VV[11], T0);
  {
   cl_object v9package;
   v9package = cl_symbol_package(VV[31]);
   if (Null(v9package)) { goto L150; }
   if (Null(si_package_locked_p(v9package))) { goto L150; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L150; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[48], ECL_SYM("PACKAGE",1311), v9package);
  }
L150:;
  {
   cl_object volatile v10;
   v10 = ecl_make_cfun((cl_objectfn_fixed)LC19__lambda72,ECL_NIL,Cblock,2);
   T0 = v10;
  }
  si_put_sysprop(VV[31], VV[11], T0);
  {
   cl_object v10package;
   v10package = cl_symbol_package(VV[32]);
   if (Null(v10package)) { goto L158; }
   if (Null(si_package_locked_p(v10package))) { goto L158; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L158; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[49], ECL_SYM("PACKAGE",1311), v10package);
  }
L158:;
  {
   cl_object volatile v11;
   v11 = ecl_make_cfun((cl_objectfn_fixed)LC20__lambda76,ECL_NIL,Cblock,2);
   T0 = v11;
  }
  si_put_sysprop(VV[32], VV[11], T0);
  {
   cl_object v11package;
   v11package = cl_symbol_package(VV[33]);
   if (Null(v11package)) { goto L166; }
   if (Null(si_package_locked_p(v11package))) { goto L166; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L166; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[50], ECL_SYM("PACKAGE",1311), v11package);
  }
L166:;
  {
   cl_object volatile v12;
   v12 = ecl_make_cfun((cl_objectfn_fixed)LC21__lambda80,ECL_NIL,Cblock,2);
   T0 = v12;
  }
  si_put_sysprop(VV[33], VV[11], T0);
  {
   cl_object v12package;
   v12package = cl_symbol_package(VV[34]);
   if (Null(v12package)) { goto L174; }
   if (Null(si_package_locked_p(v12package))) { goto L174; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L174; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[51], ECL_SYM("PACKAGE",1311), v12package);
  }
L174:;
  {
   cl_object volatile v13;
   v13 = ecl_make_cfun((cl_objectfn_fixed)LC22__lambda84,ECL_NIL,Cblock,2);
   T0 = v13;
  }
  si_put_sysprop(VV[34], VV[11], T0);
  {
   cl_object v13package;
   v13package = cl_symbol_package(VV[35]);
   if (Null(v13package)) { goto L182; }
   if (Null(si_package_locked_p(v13package))) { goto L182; }
   if (!(ecl_symbol_value(ECL_SYM("*IGNORE-PACKAGE-LOCKS*",1119))==ECL_NIL)) { goto L182; }
   si_signal_simple_error(6, ECL_SYM("PACKAGE-ERROR",620), VVtemp[12], VVtemp[13], VVtemp[52], ECL_SYM("PACKAGE",1311), v13package);
  }
L182:;
  {
   cl_object volatile v14;
   v14 = ecl_make_cfun((cl_objectfn_fixed)LC23__lambda88,ECL_NIL,Cblock,2);
   T0 = v14;
  }
  si_put_sysprop(VV[35], VV[11], T0);
 }
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[36], ECL_SYM("LOCATION",1842), VVtemp[53], VVtemp[54]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[36], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[55]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[100]);                         /*  CHECK-SITE      */
 {
  cl_object T0;
  cl_object volatile env0 = ECL_NIL;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, ECL_SYM("PRINT-OBJECT",963), ECL_SYM("LOCATION",1842), VVtemp[56], VVtemp[57]) /*  ANNOTATE */;
  {
   cl_object volatile v1;
   v1 = ecl_make_cfun((cl_objectfn_fixed)LC26print_object,ECL_NIL,Cblock,2);
   T0 = v1;
  }
  ecl_function_dispatch(cl_env_copy,VV[102])(5, ECL_SYM("PRINT-OBJECT",963), ECL_NIL, VVtemp[58], VVtemp[59], T0) /*  INSTALL-METHOD */;
 }
 {
  cl_object T0;
  cl_object volatile env0 = ECL_NIL;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, ECL_SYM("DESCRIBE-OBJECT",943), ECL_SYM("LOCATION",1842), VVtemp[60], VVtemp[61]) /*  ANNOTATE */;
  {
   cl_object volatile v1;
   v1 = ecl_make_cfun((cl_objectfn_fixed)LC27describe_object,ECL_NIL,Cblock,2);
   T0 = v1;
  }
  ecl_function_dispatch(cl_env_copy,VV[102])(5, ECL_SYM("DESCRIBE-OBJECT",943), ECL_NIL, VVtemp[58], VVtemp[59], T0) /*  INSTALL-METHOD */;
 }
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[50], ECL_SYM("LOCATION",1842), VVtemp[62], VVtemp[63]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[50], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[64]) /*  ANNOTATE */;
  ecl_cmp_defmacro(VV[103]);                      /*  DEFINE-SITE-READER */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[50], ECL_SYM("FUNCTION",398), VVtemp[65]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[57], ECL_SYM("LOCATION",1842), VVtemp[66], VVtemp[67]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[57], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[68]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[106]);                         /*  SITE-FUNCTIONS  */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[57], ECL_SYM("FUNCTION",398), VVtemp[69]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[59], ECL_SYM("LOCATION",1842), VVtemp[70], VVtemp[71]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[59], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VV[54]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[110]);                         /*  SITE-TYPE       */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[59], ECL_SYM("FUNCTION",398), VVtemp[72]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[60], ECL_SYM("LOCATION",1842), VVtemp[73], VVtemp[74]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[60], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VV[54]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[111]);                         /*  SITE-BASE-TYPE  */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[60], ECL_SYM("FUNCTION",398), VVtemp[75]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[61], ECL_SYM("LOCATION",1842), VVtemp[76], VVtemp[77]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[61], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VV[54]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[112]);                         /*  SITE-CATEGORY   */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[61], ECL_SYM("FUNCTION",398), VVtemp[78]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[62], ECL_SYM("LOCATION",1842), VVtemp[79], VVtemp[80]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[62], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VV[54]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[113]);                         /*  SITE-OBJECTS    */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[62], ECL_SYM("FUNCTION",398), VVtemp[81]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[63], ECL_SYM("LOCATION",1842), VVtemp[82], VVtemp[83]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[63], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VV[54]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[114]);                         /*  SITE-BYTES      */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[63], ECL_SYM("FUNCTION",398), VVtemp[84]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[64], ECL_SYM("LOCATION",1842), VVtemp[85], VVtemp[86]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[64], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VV[54]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[115]);                         /*  SITE-REQUESTED-BYTES */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[64], ECL_SYM("FUNCTION",398), VVtemp[87]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[65], ECL_SYM("LOCATION",1842), VVtemp[88], VVtemp[89]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[65], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VV[54]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[116]);                         /*  SITE-KEPT-OBJECTS */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[65], ECL_SYM("FUNCTION",398), VVtemp[90]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[66], ECL_SYM("LOCATION",1842), VVtemp[91], VVtemp[92]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[66], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VV[54]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[117]);                         /*  SITE-KEPT-BYTES */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[66], ECL_SYM("FUNCTION",398), VVtemp[93]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[67], ECL_SYM("LOCATION",1842), VVtemp[94], VVtemp[95]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[67], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VV[54]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[118]);                         /*  SITE-COLLECTED-OBJECTS */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[67], ECL_SYM("FUNCTION",398), VVtemp[96]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[68], ECL_SYM("LOCATION",1842), VVtemp[97], VVtemp[98]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[68], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VV[54]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[119]);                         /*  SITE-COLLECTED-BYTES */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[68], ECL_SYM("FUNCTION",398), VVtemp[93]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[69], ECL_SYM("LOCATION",1842), VVtemp[99], VVtemp[100]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[69], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VV[54]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[120]);                         /*  SITE-SURVIVED   */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[69], ECL_SYM("FUNCTION",398), VVtemp[101]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[70], ECL_SYM("LOCATION",1842), VVtemp[102], VVtemp[103]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[70], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[104]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[121]);                         /*  FOCUS-NAME      */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[70], ECL_SYM("FUNCTION",398), VVtemp[105]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[72], ECL_SYM("LOCATION",1842), VVtemp[106], VVtemp[107]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[72], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[108]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[123]);                         /*  OPEN-SITES      */
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[73], ECL_SYM("LOCATION",1842), VVtemp[109], VVtemp[110]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[73], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[111]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[127]);                         /*  CHAINS-OF       */
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[74], ECL_SYM("LOCATION",1842), VVtemp[112], VVtemp[113]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[74], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[114]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[129]);                         /*  NEXT-SITE       */
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[75], ECL_SYM("LOCATION",1842), VVtemp[115], VVtemp[116]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[75], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[117]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[131]);                         /*  MAP-SITES       */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[75], ECL_SYM("FUNCTION",398), VVtemp[118]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[79], ECL_SYM("LOCATION",1842), VVtemp[119], VVtemp[120]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[79], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[121]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[146]);                         /*  COLUMNS-OF      */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[79], ECL_SYM("FUNCTION",398), VVtemp[122]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[80], ECL_SYM("LOCATION",1842), VVtemp[123], VVtemp[124]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[80], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[125]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[148]);                         /*  REPORT-TEXT     */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[80], ECL_SYM("FUNCTION",398), VVtemp[126]) /*  SET-DOCUMENTATION */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[82], ECL_SYM("LOCATION",1842), VVtemp[127], VVtemp[128]) /*  ANNOTATE */;
  ecl_function_dispatch(cl_env_copy,ECL_SYM("ANNOTATE",1836))(4, VV[82], ECL_SYM("LAMBDA-LIST",1000), ECL_NIL, VVtemp[129]) /*  ANNOTATE */;
  ecl_cmp_defun(VV[155]);                         /*  REPORT          */
  ecl_function_dispatch(cl_env_copy,VV[97])(3, VV[82], ECL_SYM("FUNCTION",398), VVtemp[130]) /*  SET-DOCUMENTATION */;
}
