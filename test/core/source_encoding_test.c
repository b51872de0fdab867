/* Which sources name an encoding that Ruby may have to load: see core/recording/source_encoding.h. */
#include "test.h"

#include <string.h>

#include "core/recording/source_encoding.h"

static bool
loads(const char *source)
{
    return ws_source_loads_encoding((const uint8_t *)source, strlen(source));
}

TEST("what every Ruby has in itself, and what is no magic comment")
{
    static const char *const sources[] = {
        "",
        "\n",
        "#",
        "# encoding: utf-8",
        "# Encoding: UTF-8-unix\n",
        "#-*- coding: us-ascii -*-\n",
        "# coding=binary\n",
        "# coding: ASCII-8BIT\n",
        "# coding:\n",
        "# coding\n",
        "x = 'coding: koi8-r'\n",
        "\n\n# coding: koi8-r\n",
        "# about coding and such\n",
        "\xEF\xBB\xBF# coding: utf-8\n",
        "# coding: \"utf-8\"\n",
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) CHECK(!loads(sources[i]));
}

TEST("another encoding, on either of the first two lines")
{
    static const char *const sources[] = {
        "# encoding: koi8-r",
        "#!/usr/bin/ruby\n# -*- coding: Windows-1251; mode: ruby -*-\n",
        "  \t# vim: set fileencoding=euc-jp :\n",
        "# coding: utf-8x\n",
        "# coding: utf-16le\n",
        "# coding: utf-8, coding: big5\n",
        "\xEF\xBB\xBF#coding:big5\n",
        "# coding: \"koi8-r\"\n",
        "# coding : utf-8-unixx\n",
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) CHECK(loads(sources[i]));
}
