/* Looks capital letters up in the generated table; see path_case.h. */
#include "core/path/path_case.h"

#include "core/path/path_case_table.h"
#include "core/bytes/utf8.h"

uint32_t
ws_path_capital(uint32_t character)
{
    size_t low = 0, high = WS_CASE_RANGE_COUNT;

    if (character < 0x80) return character >= 'a' && character <= 'z' ? character - 32 : character;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const ws_case_range *range = &ws_case_ranges[middle];
        if (character > range->last) low = middle + 1;
        else if (character < range->first) high = middle;
        else if ((character - range->first) % range->step != 0) return character;
        else return (uint32_t)((int32_t)character + range->difference);
    }
    return character;
}

uint32_t
ws_path_next_folded(ws_text *text)
{
    uint32_t character;
    size_t size = ws_utf8_decode(text->bytes, text->size, &character);

    text->bytes += size;
    text->size -= size;
    return character == '\\' ? '/' : ws_path_capital(character);
}
