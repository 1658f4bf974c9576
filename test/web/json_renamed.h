// SPDX-License-Identifier: MIT
// web/jansson beside jansson in one program: included before everything in its files, this gives its functions other
// names.
#pragma once

#define json_set_alloc_funcs web_json_set_alloc_funcs
#define json_loadb web_json_loadb
#define json_delete web_json_delete
#define json_true web_json_true
#define json_false web_json_false
#define json_null web_json_null
#define json_integer web_json_integer
#define json_real web_json_real
#define json_string web_json_string
#define json_stringn web_json_stringn
#define json_sprintf web_json_sprintf
#define json_object web_json_object
#define json_array web_json_array
#define json_pack web_json_pack
#define json_copy web_json_copy
#define json_deep_copy web_json_deep_copy
#define json_integer_value web_json_integer_value
#define json_integer_set web_json_integer_set
#define json_real_value web_json_real_value
#define json_number_value web_json_number_value
#define json_string_value web_json_string_value
#define json_string_length web_json_string_length
#define json_array_size web_json_array_size
#define json_array_get web_json_array_get
#define json_array_set_new web_json_array_set_new
#define json_array_append_new web_json_array_append_new
#define json_array_remove web_json_array_remove
#define json_object_size web_json_object_size
#define json_object_get web_json_object_get
#define json_object_set_new web_json_object_set_new
#define json_object_del web_json_object_del
#define json_object_iter web_json_object_iter
#define json_object_iter_next web_json_object_iter_next
#define json_object_iter_key web_json_object_iter_key
#define json_object_iter_value web_json_object_iter_value
#define json_object_key_to_iter web_json_object_key_to_iter
