"""Stand-ins for other tools, under the names those tools have: one import line changes, the script does not.

`vesica.compat.coco`, `vesica.compat.cocoeval` and `vesica.compat.mask` take the place of pycocotools' modules. They
keep its names, its printed lines and its numbers, odd ones included. New scripts do better with `vesica.evaluate`.
"""
